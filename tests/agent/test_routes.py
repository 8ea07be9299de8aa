"""Every way through the graph, by the sequence of nodes that a question takes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from agent.chatbot import Chatbot
from agent.graph import build_graph
from contracts.answer import Answer, Outcome
from contracts.question import Asker, SensePick, Turn
from tests.agent.judges import ListedJargonIdentifier, ScriptedAnswerabilityJudge, ScriptedRefiner, ScriptedWriter
from tests.agent.scripted import Script

READ = ["classify_context", "identify_jargon", "look_up_jargon"]
SEARCH = ["retrieve", "judge_relevance", "judge_answerability"]
CHECK = ["find_citations", "judge_faithfulness", "choose_draft"]
FOUND = [*READ, "augment_question", *SEARCH]
WRITTEN = [*FOUND, "write_answer", "review", *CHECK]
ANSWERED = [*WRITTEN, "estimate_certainty"]
REFINED = [*FOUND, "write_answer", "review", "refine_answer", *CHECK, "estimate_certainty"]
QUOTED = [*WRITTEN, "quote_answer", *CHECK, "estimate_certainty"]
COMBINED = [
    "understand_question", "look_up_jargon", "augment_question", "retrieve", "judge_passages", "write_answer", "review",
    "check_answer", "choose_draft", "estimate_certainty",
]  # fmt: skip
UNKNOWN = [*READ, "report_unknown_terms"]

MEMORY = Asker(department="Memory")
VPP, DLL = "What is VPP on DDR4?", "How many cycles does the DLL need?"
TOLD = [Turn(role="user", text=VPP), Turn(role="assistant", text="2.5 V [1].")]
CLARIFIED = [
    Turn(role="user", text=DLL),
    Turn(
        role="assistant",
        text="**DLL** has several meanings here. Which one do you mean?\n\n"
        "1. **Delay-Locked Loop** (Memory): Aligns the clock.\n2. **Dynamic-Link Library** (Software): Shared code.\n\n"
        "Answer with a number, or with the meaning in words.",
    ),
]


@dataclass
class RouteCase:
    """A question, the nodes it must take, what the scripts say, and who asks."""

    name: str
    question: str
    nodes: list[str]
    outcome: Outcome = "answered"
    script: Script = field(default_factory=Script)
    asker: Asker = Asker()  # noqa: RUF009 - it is frozen
    history: Sequence[Turn] = ()
    picks: Sequence[SensePick] = ()


def written(draft: str, *, answerable: float = 0.9) -> Script:
    """Return the script of a language model that writes ``draft``, with the embedded engine behind it."""
    return Script(
        writer=ScriptedWriter([draft]),
        quoting_writer=ScriptedWriter(),
        answerability=ScriptedAnswerabilityJudge([answerable]),
    )


def answerable(*probabilities: float) -> Script:
    return Script(answerability=ScriptedAnswerabilityJudge(probabilities))


def refined(first: str, *, combined: bool = False) -> Script:
    writer = ScriptedWriter([first, "VPP is 2.5 V on DDR4."])
    # The rewrite contains what was missing, so the answer is rewritten only once.
    return Script(refiner=ScriptedRefiner("VPP"), writer=writer, combined=combined)


CASES = [
    RouteCase("answered", VPP, ANSWERED),
    RouteCase("with history", "And on DDR5?", ["rewrite_question", *ANSWERED], history=TOLD),
    RouteCase("combined judgements", "And on DDR5?", COMBINED, script=Script(combined=True), history=TOLD),
    RouteCase("combined judgements of a draft and its rewrite", VPP, [*COMBINED[:7], "refine_answer", *COMBINED[7:]],
              script=refined("VPP is maybe 3 V.", combined=True)),
    RouteCase("unknown term", "What does WXYZ mean?", UNKNOWN, "unknown_term"),
    RouteCase("unknown beside ambiguous", "Does WXYZ change the DLL?", UNKNOWN, "unknown_term"),
    RouteCase("unknown but doubtful", "When does the cafeteria open for Jorge?", ANSWERED,
              script=Script(identifier=ListedJargonIdentifier(doubtful=["Jorge"]))),
    RouteCase("clarify", DLL, [*READ, "ask_which_sense"], "clarify"),
    RouteCase("the department reads it", DLL, ANSWERED, asker=MEMORY),
    RouteCase("a pick reads it", DLL, ANSWERED, picks=[SensePick(term="DLL", extended_name="Delay-Locked Loop")]),
    RouteCase("reply to clarify", "the first one", ["rewrite_question", *ANSWERED], history=CLARIFIED),
    RouteCase("expand then answer", "What is the pump supply?",
              [*FOUND, "expand_query", *ANSWERED[4:]], script=answerable(0.2, 0.8)),
    RouteCase("closest passages", "When was the product launched?",
              [*FOUND, "expand_query", *SEARCH, "show_closest_passages"], "closest_passages", script=answerable(0.1)),
    RouteCase("empty library", "When does the cafeteria open?",
              [*FOUND, "show_closest_passages"], "declined", script=Script(passages=())),
    RouteCase("dictionary definition without documents", "What is a LUN?", ANSWERED, script=Script(passages=())),
    RouteCase("refined once only", VPP, REFINED, script=refined("VPP is maybe 3 V.")),
    RouteCase("nothing supported", VPP, [*WRITTEN, "show_closest_passages"], "closest_passages",
              script=Script(writer=ScriptedWriter(["It is 7 V. Everybody knows that."]))),
    RouteCase("nothing supported, quoted", VPP, QUOTED,
              script=written("It is 7 V. Everybody knows that.", answerable=0.5)),
    RouteCase("the main statement is not supported, quoted", VPP, QUOTED,
              script=written("It is 7 V. VPP is 2.5 V on DDR4.")),
    RouteCase("empty, quoted", VPP, QUOTED, script=written("[1]")),
    RouteCase("the model finds no answer, the gate is not sure", VPP, [*WRITTEN, "show_closest_passages"],
              "closest_passages", script=written("The passages do not say what VPP is.", answerable=0.7)),
    RouteCase("the model finds no answer, the gate is sure", VPP, QUOTED,
              script=written("The passages do not say what VPP is.")),
    RouteCase("small talk", "Hello! How are you?", ["reply_to_small_talk"], "conversation"),
    RouteCase("help", "What can you do?", ["describe_library"], "conversation"),
    RouteCase("a summary of what is no document", "Give me a summary of VPP on DDR4",
              ["summarise_document", *ANSWERED]),
    RouteCase("another script", "VPPは何ボルトですか？", ANSWERED),
]  # fmt: skip


def nodes_of(answer: Answer) -> list[str]:
    """Name the nodes in order; those that run side by side in alphabetical order, since either may end first."""
    names = [step.node for step in answer.steps]
    for pair in (("classify_context", "identify_jargon"), ("find_citations", "judge_faithfulness")):
        for index in range(len(names) - 1):
            if set(names[index : index + 2]) == set(pair):
                names[index : index + 2] = pair
    return names


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_question_visits_the_expected_nodes(case: RouteCase) -> None:
    chatbot = Chatbot(case.script.services())
    answer = await chatbot.ask(case.question, history=case.history, asker=case.asker, picks=case.picks)
    assert nodes_of(answer) == case.nodes
    assert answer.outcome == case.outcome
    assert answer.text
    assert answer.question == case.question
    assert all(step.finding and step.milliseconds >= 0 for step in answer.steps)


def test_the_cases_cover_every_node_of_the_graph() -> None:
    nodes = set(build_graph().get_graph().nodes) - {"__start__", "__end__"}
    assert nodes == {node for case in CASES for node in case.nodes}
