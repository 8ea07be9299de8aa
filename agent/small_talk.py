"""Small talk: greetings, thanks and the like, and questions about the bot itself. Nothing is searched for it.

A message is small talk only if all of its words are: "hello" is, "hello packet interval" and "thanks, and how do I
restart it?" are not.
"""

import re
from collections.abc import Sequence
from typing import Literal

from contracts.question import Turn
from tools.language import fold

SmallTalk = Literal[
    "capabilities", "identity", "wellbeing", "goodbye", "thanks", "greeting", "acknowledgement", "praise"
]

_MOST_WORDS = 14
# Patterns, English and German, of what ``_plain`` leaves. A message of several kinds is answered as the first of them.
_PHRASES: dict[SmallTalk, str] = {
    "capabilities": """
        help( me)?|(i )?need (some )?help|(can|could|will|would) you (please )?help( me)?( out)?
        how can you help( me)?|what (else )?(can|could|do) you do( for me)?|what are you (able|here) (to do|for)
        what do you know( about)?|what do you cover|how do you work|how (can|do|should) i use you
        what (can|could|should|may) i ask( you)?( about)?|(can|could|may) i ask( you)? (something|a question)
        (i have|i have got|ive got) (a|some) questions?
        (what|which)( kinds? of| sort of)? (questions|things) can (i ask( you)?|you answer)
        (what|which|how many) (documents?|files?|manuals?|sources?|topics?) (do you (have|know|cover|use)|are there)
        (what|which|how many) (documents?|files?|manuals?|sources?|topics?) can you (search|read|access)
        what information do you have
        (list|show)( me)?( all)?( the| your)? (documents|files|sources|topics)( you have)?
        what is in (the|this|your) (library|knowledge base|collection|documents)
        what are your (capabilities|features|skills|functions|abilities|sources|documents|topics)
        hilfe|hilf mir|ich brauche hilfe|(kannst du|koennen sie) mir (bitte )?helfen
        wie (kannst du|koennen sie) mir helfen|wie funktionierst du|ich habe (eine frage|fragen)
        was (kannst du|koennen sie)( alles| fuer mich)?( tun| machen)?|was (weisst du|wissen sie)( alles)?
        was kann ich (dich |sie )?(alles )?fragen
        (welche|wie viele) (dokumente|dateien|quellen|themen) (hast du|kennst du|haben sie|kennen sie|gibt es)
    """,
    "identity": """
        who are you|what are you|(what is|do you have) (your|a) name
        who (am i|are we) (talking|speaking|chatting) (to|with)
        are you (an? )?((real|human|live) )?(ai|bot|chatbot|robot|machine|computer|program|human|person|real)
        who (made|built|created|trained|developed|wrote) you|introduce yourself
        (please )?tell me (something |more )?about yourself|tell me who you are
        (wer|was) bist du|wer sind sie|wie heisst du|wie heissen sie
        (bist du|sind sie) (eine? )?(bot|mensch|roboter|ki|maschine)
    """,
    "wellbeing": """
        how are you( doing| feeling)?( today)?|how (is it|are things) going( today)?|how are things|how do you do
        how have you been|how is (life|your day)( going)?|what is up|are you (ok|okay|well|fine)
        (and|how about|what about) you|und (dir|ihnen|selbst)
        wie geht es( dir| ihnen| euch)?( heute)?|wie laeuft es|alles (gut|klar) bei (dir|ihnen)
    """,
    "goodbye": """
        (good )?bye( bye)?|goodbye|good night|farewell|cya|see you( later| soon| tomorrow| then| around)?
        (talk|speak) to you (later|soon)|until (next time|then|later)|catch you later|take care
        (have|enjoy) (a|the|your) ((very )?(nice|good|great|lovely) )?(day|evening|night|weekend|one|rest of the day)
        (that is|that was|that will be) (all|it)( for (now|today))?
        tschuess(i)?|tschau|ciao|(auf )?wiedersehen|auf wiederhoeren|bis (bald|spaeter|morgen|dann|zum naechsten mal)
        gute nacht|(einen )?schoene(n|s) (tag|abend|feierabend|wochenende)( noch)?|mach es gut|das (war|ist) alles
    """,
    "thanks": """
        (many )?thanks|thank you|thankyou|thx|thanx|thnx|tnx|tysm|cheers|much (appreciated|obliged)
        i (really |very much )?appreciate (it|that|this|your help|the help)|(that|this) is (much )?appreciated
        (vielen |besten |herzlichen |lieben |tausend )?dank|danke( dir| ihnen| euch)?( sehr| schoen| vielmals)?
        dankeschoen|merci
    """,
    "greeting": """
        hello|hallo|hi|hey|hiya|howdy|greetings|good (morning|afternoon|evening|day)|bonjour|hola|salut
        (nice|good|great|pleased) to (meet|see) you|long time no see
        ((are )?you|(is )?(any|some)(one|body)) (there|here|online)
        moin( moin)?|servus|gruezi|gruess (gott|dich|sie)|guten (tag|morgen|abend)|ist (da )?jemand da|bist du da
    """,
    "acknowledgement": """
        ok|okay|k|okey|alright|all right|got it|gotcha|understood|i (see|understand)|no (worries|problem)|never mind
        (that|this|it) (is|was|sounds|looks) ((very|really|so|all|just) )?(good|great|nice|cool|fine|perfect|excellent)
        (that|this|it) (is|was) ((very|really|so|all|just) )?(helpful|useful|clear|right|correct|it|interesting)
        (that|this|it) (really )?(helps|helped|works|worked)( me)?( a lot| now)?|(that |this |it )?makes sense( now)?
        (good|great|nice|excellent|amazing) (job|work|answer|bot|one|stuff|to know)|well done|sounds (good|great)
        (very|really|so) (good|nice|helpful|useful|interesting|cool)|you are (great|awesome|the best|helpful)
        i am (very |so |quite )?(fine|good|well|ok|okay|great|happy|sorry)( too)?
        haha(ha)?|lol|hm|sorry|my bad|no thanks?( you)?|alles klar|(sehr|ganz) gut|verstanden|in ordnung|egal
        macht nichts|(das )?(hilft|passt|stimmt)( mir)?( sehr)?|nein danke|schon gut|entschuldigung
    """,
    # In a first message, one such word may be what is looked for.
    "praise": """
        good|great|nice|cool|fine|perfect|excellent|awesome|wonderful|amazing|brilliant|super|helpful|interesting|wow
        gut|prima|toll|klasse|genial|wunderbar|perfekt|klar
    """,
}
# What stands beside such phrases and says nothing by itself.
_FILLERS = """
    there|everyone|everybody|all|team|folks|guys|again|bot|chatbot|robot|(my )?(friend|dear)|mate|golden retriever
    please|so|oh|ah|well|and|then|now|today|yes|yeah|yep|no|nope|indeed|really|very|much|a lot|anyway|for now
    bitte|ja|nein|und|dann|noch
"""
# What somebody is thanked for; "help" in it asks for none.
_THANKED_FOR = re.compile(
    r" for ((the|all|your|all the|all your|this|that) )?((quick|great|kind) )?"
    r"(help|answers?|info|information|explanation|reply|time|that|this|everything"
    r"|(helping|explaining|answering)( me| that| this)?)(?= |$)"
    r"| fuer (alles|(die |deine |ihre )?((schnelle|tolle) )?(hilfe|antwort|auskunft|infos?|erklaerung|muehe))(?= |$)"
)
_SHORT_FORMS = {
    "whats": "what is", "hows": "how is", "thats": "that is", "whos": "who is", "gehts": "geht es", "youre": "you are",
    "im": "i am", "u": "you", "ya": "you", "r": "are", "pls": "please", "plz": "please", "machs": "mach es",
}  # fmt: skip
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_WORD = re.compile(r"[^\W_]+")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")


def _any_of(phrases: str) -> str:
    return "|".join(line.strip() for line in phrases.strip().splitlines())


_ONLY_SMALL_TALK = re.compile(rf"(?:(?:{'|'.join(map(_any_of, (*_PHRASES.values(), _FILLERS)))})(?: |$))+")
_KINDS = {kind: re.compile(rf"(?:^| )(?:{_any_of(phrases)})(?= |$)") for kind, phrases in _PHRASES.items()}


def small_talk_in(message: str, *, is_first: bool) -> SmallTalk | None:
    """Return which small talk ``message`` is, or None where any of it may be a question to the documents.

    ``is_first``: nothing was said before it.
    """
    said = _THANKED_FOR.sub("", _plain(message))
    if said.count(" ") >= _MOST_WORDS or not _ONLY_SMALL_TALK.fullmatch(said):
        return None
    kind = next((kind for kind, pattern in _KINDS.items() if pattern.search(said)), None)
    return None if kind == "praise" and is_first and " " not in said else kind


def without_small_talk(history: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns without small talk and the replies to it: no question is a follow-up to those."""
    kept: list[Turn] = []
    chatting = False
    for place, turn in enumerate(history):
        if turn.role == "user":
            chatting = small_talk_in(turn.text, is_first=place == 0) is not None
        if not chatting:
            kept.append(turn)
    return tuple(kept)


def _plain(message: str) -> str:
    """Return the words of ``message``, folded and written out: "Hiii!! What's up?" becomes "hi what is up"."""
    text = fold(message).translate(_UMLAUTS).replace("'", "").replace("’", "")
    words = _WORD.findall(_DRAWN_OUT.sub(r"\1", text))
    return " ".join(_SHORT_FORMS.get(word, word) for word in words)
