"""Verbs: which words can be one, their base forms and their third person."""

import re
from functools import lru_cache

_BASES = frozenset(
    """
    abandon absorb accelerate accept access accommodate accompany account accrue accumulate achieve acknowledge
    acquire act activate adapt add address adhere adjust administer adopt advance advise affect affix afford agree
    aid aim alert align allocate allow alter amplify analyse analyze announce answer anticipate appear append apply
    appoint approve archive arise arrange arrive ask assess assign assist assume assure attach attempt attend
    attenuate attract audit authenticate authorise authorize automate avoid award back bake balance base bear beat
    become begin behave believe belong bend benefit bind block boil boost boot born borrow bounce break brew bridge
    bring broadcast buffer build bundle burn buy bypass cache calculate calibrate call cancel capture carry cause
    cease certify change charge check choose claim clamp clean clear climb clip clock close coat coincide collect
    combine come command commit communicate compare compensate compete compile complete comply compose compress
    comprise compute concern conclude condense conduct configure confirm conform connect consider consist constitute
    constrain construct consult consume contact contain continue contract contribute control convert convey cook
    cool coordinate cope copy correct correspond cost count couple cover create credit cross crush cut damage dampen
    dance deal debit debounce debug debut decide declare decline decode decompose decouple decrease decrypt dedicate
    deduct defeat defer define degrade delay delegate delete deliver demand demonstrate denote depart depend deploy
    derive descend describe design detach detect determine develop deviate die differ digitise digitize direct
    disable discharge disclose disconnect discover discuss dismiss dispatch display dissipate distribute divide
    document dominate double download drain draw drill drive drop dry duplicate earn ease edit educate elect elevate
    eliminate embed emerge emit employ empower enable encode encompass encounter encourage encrypt end endorse
    enforce engage enhance enjoy enrol enroll ensure enter entitle equal equip escalate establish estimate evaluate
    evolve examine exceed exchange exclude execute exercise exhibit exist exit expand expect experience expire
    explain export expose express extend extract facilitate fail fall feature feed feel fetch fight fill filter find
    finish fire fit fix flag flash float flow flush focus follow forbid force forecast form format forward found
    freeze fulfil fulfill function fund gain gate gather generate get give glue go govern grant grease grow
    guarantee guard guide halt handle happen hash hear heat help hesitate hire hold hope host house hum identify
    illuminate implement imply import improve include incorporate increase incur indicate inform inherit inhibit
    initialise initialize initiate inject input insert inspect inspire install instruct insulate integrate intend
    interact interface interleave interlock interpret interrupt interview introduce invade invalidate invent invert
    invest invite invoice invoke involve isolate issue join judge jump justify keep know label lack land last latch
    launch lead leak learn lease leave lend let leverage lie lift light limit linger link list listen load locate
    lock log look loosen lose lower maintain make manage mandate manipulate manufacture map mark marry mask match
    maximise maximize mean measure meet melt merge migrate minimise minimize mirror miss mitigate mix modify
    modulate monitor mount move multiply name narrate need negotiate neutralise nominate normalise normalize note
    notify obey observe obtain occupy occur offer omit open operate optimise optimize order organise organize
    originate oscillate outline output overlap overload override oversee overwrite own pack page pair participate
    pass patch pause pay peak penetrate perform permit persist pick place plan play plead plug point polish poll
    populate portray position possess post postpone pour power precede predict prefer premiere prepare prescribe
    present preserve press prevent print prioritise prioritize proceed process produce prohibit project promise
    promote prompt propagate propose protect prove provide publish pull pump purchase purge pursue push put qualify
    query queue quit raise ramp range rank rate reach react read realise realize reboot rebuild receive recharge
    recognise recognize recommend reconnect record recover rectify redirect reduce refer reference refill reflect
    refresh refuel refund refuse regard register regulate reimburse reinforce reject relate relay release rely
    remain remember remove render renew repair repeat replace replicate reply report represent reprimand request
    require rerun resemble reserve reset reside resign resist resolve resort respond restart restore restrict result
    resume retain retire retrieve retry return reuse reveal reverse revert review revise revoke reward ride ring
    rinse rise roll rotate round route run rust sail sample satisfy saturate save scale scan schedule score scrape
    screen screw seal search secure see seek seem select sell send sense separate serialise serialize serve set
    settle shape share shatter shield shift ship show shut sign signal signify simplify simulate sing sink sit skip
    sleep slide slip slow smooth solder sort source span specialise specialize specify spend split sponsor stabilise
    stabilize stack stand star start state stay steer step stop store stream strengthen stress stretch strive
    struggle study submit subscribe sue suffer suggest suit summarise summarize supervise supply support suppress
    surpass surround survive suspend sustain swap switch synchronise synchronize tail take tally target taste teach
    tell tend terminate test throttle throw tie tighten tilt time tolerate total touch track trade train transfer
    transform transition translate transmit transport travel treat trigger trim trip turn undergo understand
    undertake unload unlock unpack unplug unscrew update upgrade upload use utilise utilize validate vanish vary
    ventilate verify vibrate view violate visit wait wake walk want warm warn wash watch wear weigh win wipe
    withstand work wrap write yield
    """.split()  # noqa: SIM905
)
# The words that are a noun at least as often, so that only their place tells.
_ALSO_NOUNS = frozenset(
    """
    access account act address aid aim alert answer audit award back balance base beat bend block boost boot brew
    bridge broadcast buffer build burn cache call capture cause change charge check claim clamp clean clear climb
    clock coat command complete concern contact contract control cook copy correct cost count couple cover credit
    cross cut damage dance deal debit debut delay delegate demand design direct dispatch display document double
    download drain drill drive drop dry ease edit end equal estimate exchange exercise exit experience export
    feature feed fight fill filter find fire fit fix flag flash float flow flush focus force forecast form format
    forward free function fund gain gate glue grant guarantee guard guide halt handle hash heat help hold hope host
    house hum import increase input insert interface interrupt interview invite invoice issue join judge jump label
    lack land last latch launch lead leak lease leave lift light limit link list load lock log look lower map mark
    mask match mean measure mirror miss mix monitor mount move name need note offer open order outline output
    overlap overload override own pack page pair pass patch pause pay peak pick place plan play plug point polish
    poll position post power premiere present press print process produce program programme project promise prompt
    pull pump purchase purge push query queue raise ramp range rank rate reach read record reference refund regard
    register relay release repair repeat reply report request reserve reset resort result return reuse reverse
    review reward ride ring rise roll round route run rust sample scale scan schedule score screen screw seal search
    secure sense separate set shape share shield shift ship show sign signal sink skip sleep slide slip slow smooth
    sort source span split sponsor stack stand star start state stay step stop store stream stress stretch study
    suit supply support surround suspend swap switch tail tally target taste test throttle tie time total touch
    track trade train transfer transition transport travel trigger trim trip turn update upgrade upload use value
    view visit wait walk want warm wash watch wear work wrap yield
    """.split()  # noqa: SIM905
)
_IRREGULAR = {
    "arose": "arise", "bore": "bear", "borne": "bear", "became": "become", "began": "begin", "begun": "begin",
    "bound": "bind", "broke": "break", "broken": "break", "brought": "bring", "built": "build", "bought": "buy",
    "came": "come", "chose": "choose", "chosen": "choose", "dealt": "deal", "drew": "draw", "drawn": "draw",
    "drove": "drive", "driven": "drive", "fell": "fall", "fallen": "fall", "fed": "feed", "found": "find",
    "fought": "fight", "froze": "freeze", "frozen": "freeze", "gave": "give", "given": "give", "went": "go",
    "gone": "go", "grew": "grow", "grown": "grow", "held": "hold", "kept": "keep", "knew": "know", "known": "know",
    "led": "lead", "left": "leave", "lay": "lie", "lost": "lose", "made": "make", "meant": "mean", "met": "meet",
    "paid": "pay", "ran": "run", "rang": "ring", "rose": "rise", "risen": "rise", "sold": "sell", "sent": "send",
    "shook": "shake", "showed": "show", "shown": "show", "slept": "sleep", "spent": "spend", "stood": "stand",
    "took": "take", "taken": "take", "taught": "teach", "told": "tell", "threw": "throw", "thrown": "throw",
    "understood": "understand", "underwent": "undergo", "withstood": "withstand", "woke": "wake", "won": "win",
    "wore": "wear", "worn": "wear", "wrote": "write", "written": "write", "overwritten": "overwrite", "sang": "sing",
    "sought": "seek", "said": "say", "saw": "see", "seen": "see", "did": "do", "done": "do", "sank": "sink",
    "overseen": "oversee", "oversaw": "oversee", "lit": "light", "swept": "sweep",
}  # fmt: skip
_SAME_PAST = frozenset("set put cut read let shut cost hit split reset bid spread broadcast".split())  # noqa: SIM905
_NO_VERBS = frozenset(
    """
    chemise clockwise concise counterclockwise enterprise expertise franchise imprecise likewise merchandise midsize
    noise otherwise oversize paradise poise precise premise treatise
    """.split()  # noqa: SIM905
)
_DOUBLING = re.compile(r"([bdgklmnprt])\1$")
_MADE_VERB = re.compile(r"(?:ize|ise|ify|yze|yse)$")


@lru_cache(maxsize=16_384)
def base_form(word: str) -> str:
    """Return the base of a verb form ("amplifies", "amplified", "amplifying" make "amplify"), "" where it is none."""
    lower = word.casefold()
    if is_base(lower):
        return lower
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    for ending in ("ies", "ied", "es", "ed", "ing", "s"):
        if lower.endswith(ending) and len(lower) > len(ending) + 1:
            base = _from_ending(lower, ending)
            if base:
                return base
    return ""


def is_base(word: str) -> bool:
    """Say whether a lower-case word is a verb's base form."""
    return word in _BASES or (len(word) > 5 and word not in _NO_VERBS and bool(_MADE_VERB.search(word)))


def is_third_person(word: str) -> bool:
    """Say whether a word can be the third person of the present ("amplifies")."""
    lower = word.casefold()
    return lower.endswith("s") and not lower.endswith("ss") and not is_base(lower) and bool(base_form(lower))


def is_past(word: str) -> bool:
    """Say whether a word can be a verb's past or past participle."""
    lower = word.casefold()
    return lower in _IRREGULAR or lower in _SAME_PAST or (lower.endswith("ed") and bool(base_form(lower)))


def is_participle(word: str) -> bool:
    """Say whether a word can stand behind "is" as a passive: a known past, or any word in -ed."""
    lower = word.casefold()
    return is_past(lower) or (lower.endswith("ed") and len(lower) > 4 and "-" not in lower)


def is_gerund(word: str) -> bool:
    """Say whether a word is a verb in -ing."""
    lower = word.casefold()
    return lower.endswith("ing") and bool(base_form(lower)) and not is_base(lower)


def has_same_past(word: str) -> bool:
    """Say whether a verb's past is its base form ("set", "put")."""
    return word.casefold() in _SAME_PAST


def is_also_noun(word: str) -> bool:
    """Say whether a verb form is as often a noun ("supports", "outputs"), so that only its place tells."""
    return base_form(word) in _ALSO_NOUNS


def third_person(base: str) -> str:
    """Return the third person of a base form: "amplify" makes "amplifies"."""
    if base in {"be", "have", "do", "go"}:
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[base]
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ies"
    return base + ("es" if re.search(r"(?:s|x|z|ch|sh)$", base) else "s")


def _from_ending(word: str, ending: str) -> str:
    root = word[: -len(ending)]
    if ending in {"ies", "ied"}:
        return root + "y" if is_base(root + "y") else ""
    if ending == "s":
        return root if is_base(root) else ""
    tries = [root, root + "e"]
    if _DOUBLING.search(root):
        tries.append(root[:-1])
    return next((each for each in tries if is_base(each)), "")
