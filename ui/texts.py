"""Every word that the chat itself says, in English. A translation is another file like this one."""

TITLE = "Golden Retriever"
TAGLINE = "Answers from your documents, in your company's jargon"

DEPARTMENT = "Department"
ANY_DEPARTMENT = "Any department"
NEW_CONVERSATION = "New conversation"
QUESTION_LABEL = "Your question"
QUESTION_PLACEHOLDER = "Ask a question…"
SEND = "Ask"
STOP = "Stop"

WELCOME = "What would you like to know?"
WELCOME_MORE = (
    "Ask in your own words, abbreviations included. You see how each one was read, where the answer stands on the "
    "page, and how sure it is. What the documents do not say is not made up."
)
EXAMPLES = "For example"

YOU = "You"
READING_OF = "How your words were read"
READ = "Read"
AS = "as"
CORRECTED = "spelling corrected"
CHANGE = "change"
ABOUT = "about"
OTHER_MEANINGS = "Other meanings. Choose one to ask again:"
NO_OTHER_MEANING = "The dictionary has no other meaning for it. If you mean something else, write it out."
FROM_DOCUMENTS = "not in the dictionary, but used in the documents"
YOUR_CHOICE = "your choice"
SOURCE = "Source: {source}"
ASKED_AGAIN = "Asked again with {changes}"
READ_AS = "{term} read as {name}"
SPELT_AS = "{term} written as {spelling}"

WORKING = "Working…"
STEPS_DONE = "{count} steps in {duration}"
STEPS_STOPPED = "{count} steps until it was stopped"
STEPS = {
    "rewrite_question": "Reading the question with the conversation",
    "identify_jargon": "Finding the jargon",
    "classify_context": "Finding the context",
    "look_up_jargon": "Looking the jargon up",
    "report_unknown_terms": "Reporting unknown terms",
    "ask_which_sense": "Asking which meaning",
    "augment_question": "Writing the question out in full",
    "retrieve": "Searching the documents",
    "judge_relevance": "Judging the passages",
    "judge_answerability": "Checking whether they hold the answer",
    "expand_query": "Trying other words",
    "decline": "Saying what is missing",
    "write_answer": "Writing the answer",
    "find_citations": "Finding the places on the pages",
    "judge_faithfulness": "Checking each sentence",
    "review": "Reviewing the draft",
    "refine_answer": "Writing it again",
    "estimate_certainty": "Judging how sure it is",
}
BY_ENGINE = {"embedded": "built-in engine", "llm": "language model", "adapter": "language model with an adapter"}

CERTAINTY = "How sure the answer is"
# From which probability which words hold, most certain first.
CERTAINTY_WORDS = (
    (0.9, "Very sure"),
    (0.7, "Fairly sure"),
    (0.5, "Not quite sure: check the page"),
    (0.0, "Unsure: check the page"),
)
CONTEXT = "Context: {name}"
CONTEXT_PROBABILITY = "Context: {name} ({percent})"
DEGRADED = "Some steps ran on the built-in engine because the language model did not answer: {steps}"

SOURCES = "Where it stands"
CITATION = "Source {number}: {title}, page {page}. Show the passage."
PAGE = "page {page}"
UNSUPPORTED = "The cited passages do not support this."
PARTLY_SUPPORTED = "The cited passages support this only in part."
UNSUPPORTED_HEAD = "Not fully supported by the documents"

DECLINED_HEAD = "The documents do not answer this"
DECLINED = "I will not guess. Here is what may help:"
MISSING = "Nothing was found about"
NEAREST = "Documents that come nearest"
TRY_OTHER_WORDS = "Try other words, choose another department, or ask {contact} to add a document about it."
NO_NEAREST = "No document comes near."

UNKNOWN_HEAD_ONE = "I do not know {terms}"
UNKNOWN = "It is neither in the dictionary nor in the documents, and I will not guess what it means."
UNKNOWN_MANY = "They are neither in the dictionary nor in the documents, and I will not guess what they mean."
DID_YOU_MEAN = "Did you mean"
INSTEAD_OF = "Instead of {term}, did you mean"
ASK_CONTACT = "{contact} has it on the list of unknown terms now. You can also ask again with the term written out."

CLARIFY_HEAD = "{term} has more than one meaning"
CLARIFY_HEAD_ANY = "Which meaning do you have in mind?"
CLARIFY = "Choose the one you mean:"

STOPPED = "Stopped. Ask again whenever you like."
WITHDRAWN = "Writing it again: {reason}"
SUPERSEDED = "Stopped, because a new question came."
BAD_INPUT = "That could not be asked: {problem}"
UNAVAILABLE = "I cannot answer just now: {problem}"
BROKEN = (
    "Something went wrong while I was at “{step}”, and there is no answer. It is written in the server's log as "
    "{reference}. Ask again; if it happens again, tell {contact} that reference."
)
BEFORE_FIRST_STEP = "the start"
GONE = "That answer is no longer at hand, because the server was started again. Ask the question once more."

PANEL = "The cited passage"
CLOSE = "Close"
PREVIOUS = "Previous source"
NEXT = "Next source"
OF = "Source {number} of {count}"
PASSAGE = "Passage"
PAGE_PICTURE = "Page {page}, with the cited sentences marked"
ROWS_LEFT_OUT = "{count} more rows are not shown"
COLUMNS_LEFT_OUT = "{count} more columns are not shown"
