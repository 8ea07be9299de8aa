"""Every way through the graph, by the sequence of nodes that a question takes."""

from dataclasses import dataclass, field

import pytest

from agent.chatbot import Chatbot
from agent.graph import NODES, build_graph, draw_mermaid
from agent.phases import phase_of
from contracts.answer import Answer, Outcome
from contracts.question import Asker, SensePick, Turn
from tests.agent.scripted import (
    ListedJargonIdentifier,
    Script,
    ScriptedAnswerabilityJudge,
    ScriptedRefiner,
    ScriptedWriter,
)

READ = ["classify_context", "identify_jargon", "look_up_jargon"]
SEARCH = ["retrieve", "judge_relevance", "judge_answerability"]
CHECK = ["find_citations", "judge_faithfulness", "choose_draft"]
ANSWERED = [*READ, "augment_question", *SEARCH, "write_answer", "review", *CHECK, "estimate_certainty"]

COMBINED = [
    "understand_question", "look_up_jargon", "augment_question", "retrieve", "judge_passages", "write_answer", "review",
    "check_answer", "choose_draft", "estimate_certainty",
]  # fmt: skip

ANYONE = Asker()
MEMORY = Asker(department="Memory")
WRITTEN = [*READ, "augment_question", *SEARCH, "write_answer", "review", *CHECK]
QUOTED = [*WRITTEN, "quote_answer", *CHECK, "estimate_certainty"]
CLARIFIED = [
    Turn(role="user", text="How many cycles does the DLL need?"),
    Turn(
        role="assistant",
        text="**DLL** has several meanings here. Which one do you mean?\n\n"
        "1. **Delay-Locked Loop** (Memory): Aligns the clock.\n2. **Dynamic-Link Library** (Software): Shared code.\n\n"
        "Answer with a number, or with the meaning in words.",
    ),
]


@dataclass(kw_only=True)
class RouteCase:
    """A question, what the scripts say, and the nodes it must take."""

    name: str
    question: str
    nodes: list[str]
    outcome: Outcome
    script: Script = field(default_factory=Script)
    asker: Asker = ANYONE
    history: list[Turn] = field(default_factory=list)
    picks: list[SensePick] = field(default_factory=list)


def written(draft: str, *, answerable: float = 0.9) -> Script:
    """Return the script of a language model that writes ``draft``, with the embedded engine behind it."""
    return Script(
        writer=ScriptedWriter([draft]),
        quoting_writer=ScriptedWriter(),
        answerability=ScriptedAnswerabilityJudge([answerable]),
    )


def answerable(*probabilities: float) -> Script:
    return Script(answerability=ScriptedAnswerabilityJudge(probabilities))


CASES = [
    RouteCase(name="answered", question="What is VPP on DDR4?", nodes=ANSWERED, outcome="answered"),
    RouteCase(name="no jargon", question="When does the cafeteria open?", nodes=ANSWERED, outcome="answered"),
    RouteCase(
        name="with history",
        question="And on DDR5?",
        history=[Turn(role="user", text="What is VPP on DDR4?"), Turn(role="assistant", text="2.5 V [1].")],
        nodes=["rewrite_question", *ANSWERED],
        outcome="answered",
    ),
    RouteCase(
        name="combined judgements",
        question="And on DDR5?",
        history=[Turn(role="user", text="What is VPP on DDR4?"), Turn(role="assistant", text="2.5 V [1].")],
        script=Script(combined=True),
        nodes=COMBINED,
        outcome="answered",
    ),
    RouteCase(
        name="combined judgements of a draft and its rewrite",
        question="What is VPP on DDR4?",
        script=Script(
            combined=True,
            refiner=ScriptedRefiner("maybe"),
            writer=ScriptedWriter(["It is maybe 3 V.", "VPP is 2.5 V on DDR4."]),
        ),
        nodes=[*COMBINED[:7], "refine_answer", *COMBINED[7:]],
        outcome="answered",
    ),
    RouteCase(
        name="unknown term",
        question="What does WXYZ mean?",
        nodes=[*READ, "report_unknown_terms"],
        outcome="unknown_term",
    ),
    RouteCase(
        name="unknown beside known",
        question="Does WXYZ change VPP?",
        nodes=[*READ, "report_unknown_terms"],
        outcome="unknown_term",
    ),
    RouteCase(
        name="unknown beside ambiguous",
        question="Does WXYZ change the DLL?",
        nodes=[*READ, "report_unknown_terms"],
        outcome="unknown_term",
    ),
    RouteCase(name="in the documents only", question="What does the ZQX pin do?", nodes=ANSWERED, outcome="answered"),
    RouteCase(
        name="unknown but doubtful",
        question="When does the cafeteria open for Jorge?",
        script=Script(identifier=ListedJargonIdentifier(doubtful=["Jorge"])),
        nodes=ANSWERED,
        outcome="answered",
    ),
    RouteCase(
        name="clarify",
        question="How many cycles does the DLL need?",
        nodes=[*READ, "ask_which_sense"],
        outcome="clarify",
    ),
    RouteCase(
        name="the department reads it",
        question="How many cycles does the DLL need?",
        asker=MEMORY,
        nodes=ANSWERED,
        outcome="answered",
    ),
    RouteCase(
        name="a pick reads it",
        question="How many cycles does the DLL need?",
        picks=[SensePick(term="DLL", extended_name="Delay-Locked Loop")],
        nodes=ANSWERED,
        outcome="answered",
    ),
    RouteCase(
        name="reply to clarify",
        question="the first one",
        history=CLARIFIED,
        nodes=["rewrite_question", *ANSWERED],
        outcome="answered",
    ),
    RouteCase(
        name="expand then answer",
        question="What is the pump supply?",
        script=answerable(0.2, 0.8),
        nodes=[*READ, "augment_question", *SEARCH, "expand_query", *ANSWERED[4:]],
        outcome="answered",
    ),
    RouteCase(
        name="closest passages",
        question="When was the product launched?",
        script=answerable(0.1),
        nodes=[*READ, "augment_question", *SEARCH, "expand_query", *SEARCH, "show_closest_passages"],
        outcome="closest_passages",
    ),
    RouteCase(
        name="empty library",
        question="When does the cafeteria open?",
        script=Script(passages=()),
        nodes=[*READ, "augment_question", *SEARCH, "show_closest_passages"],
        outcome="declined",
    ),
    RouteCase(
        name="dictionary definition without documents",
        question="What is a LUN?",
        script=Script(passages=()),
        nodes=ANSWERED,
        outcome="answered",
    ),
    RouteCase(
        name="refine then certainty",
        question="What is VPP on DDR4?",
        script=Script(
            refiner=ScriptedRefiner("maybe"), writer=ScriptedWriter(["It is maybe 3 V.", "VPP is 2.5 V on DDR4."])
        ),
        nodes=[
            *READ, "augment_question", *SEARCH, "write_answer", "review", "refine_answer", *CHECK, "estimate_certainty",
        ],
        outcome="answered",
    ),
    RouteCase(
        name="refined once only",
        question="What is VPP on DDR4?",
        script=Script(
            refiner=ScriptedRefiner("VPP"), writer=ScriptedWriter(["VPP is maybe 3 V.", "VPP is 2.5 V on DDR4."])
        ),
        nodes=[
            *READ, "augment_question", *SEARCH, "write_answer", "review", "refine_answer", *CHECK, "estimate_certainty",
        ],
        outcome="answered",
    ),
    RouteCase(
        name="nothing supported",
        question="What is VPP on DDR4?",
        script=Script(writer=ScriptedWriter(["It is 7 V. Everybody knows that."])),
        nodes=[*READ, "augment_question", *SEARCH, "write_answer", "review", *CHECK, "show_closest_passages"],
        outcome="closest_passages",
    ),
    RouteCase(
        name="nothing supported, quoted",
        question="What is VPP on DDR4?",
        script=written("It is 7 V. Everybody knows that.", answerable=0.5),
        nodes=QUOTED,
        outcome="answered",
    ),
    RouteCase(
        name="the main statement is not supported, quoted",
        question="What is VPP on DDR4?",
        script=written("It is 7 V. VPP is 2.5 V on DDR4."),
        nodes=QUOTED,
        outcome="answered",
    ),
    RouteCase(
        name="empty, quoted",
        question="What is VPP on DDR4?",
        script=written("[1]"),
        nodes=QUOTED,
        outcome="answered",
    ),
    RouteCase(
        name="the model finds no answer, the gate is not sure",
        question="What is VPP on DDR4?",
        script=written("The passages do not say what VPP is.", answerable=0.7),
        nodes=[*WRITTEN, "show_closest_passages"],
        outcome="closest_passages",
    ),
    RouteCase(
        name="the model finds no answer, the gate is sure",
        question="What is VPP on DDR4?",
        script=written("The passages do not say what VPP is."),
        nodes=QUOTED,
        outcome="answered",
    ),
    RouteCase(
        name="multiple choice",
        question="What is VPP on DDR5? a) 1.8 V b) 2.5 V c) 3.3 V",
        nodes=ANSWERED,
        outcome="answered",
    ),
    RouteCase(name="small talk", question="Hello! How are you?", nodes=["reply_to_small_talk"], outcome="conversation"),
    RouteCase(name="help", question="What can you do?", nodes=["describe_library"], outcome="conversation"),
    RouteCase(
        name="a summary of what is no document",
        question="Give me a summary of VPP on DDR4",
        nodes=["summarise_document", *ANSWERED],
        outcome="answered",
    ),
    RouteCase(
        name="follow-up behind small talk",
        question="the first one",
        history=[*CLARIFIED, Turn(role="user", text="thanks"), Turn(role="assistant", text="You are welcome.")],
        nodes=["rewrite_question", *ANSWERED],
        outcome="answered",
    ),
    RouteCase(name="another script", question="VPPは何ボルトですか？", nodes=ANSWERED, outcome="answered"),
    RouteCase(
        name="another script, closest passages",
        question="ما هو جهد التشغيل؟",
        script=answerable(0.05),
        nodes=[*READ, "augment_question", *SEARCH, "expand_query", *SEARCH, "show_closest_passages"],
        outcome="closest_passages",
    ),
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
async def test_a_question_takes_its_route(case: RouteCase) -> None:
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


def test_the_picture_shows_every_node_and_route() -> None:
    picture = draw_mermaid()
    for route in (
        "__start__ -.-> reply_to_small_talk",
        "__start__ -.-> rewrite_question",
        "summarise_document -.-> __end__",
        "summarise_document -.-> identify_jargon",
        "rewrite_question --> identify_jargon",
        "look_up_jargon -.-> ask_which_sense",
        "judge_answerability -.-> expand_query",
        "expand_query --> retrieve",
        "review -.-> refine_answer",
        "estimate_certainty --> __end__",
    ):
        assert route in picture


def test_nodes_that_only_reply_belong_to_no_phase() -> None:
    names = [node.__name__ for node in NODES]
    assert [name for name in names if phase_of(name) is None] == [
        "reply_to_small_talk", "report_unknown_terms", "ask_which_sense",
    ]  # fmt: skip
