"""What the bot says in its own words, and what it takes for small talk."""

from agent.dictionary_passages import dictionary_passages, entry_text
from agent.small_talk import small_talk_in
from agent.wording import closest_passages_text, escape, unescape, unknown_terms_text
from contracts.answer import Citation
from contracts.jargon import Mention, Reading, Sense
from contracts.text import Span


def unknown(term: str, *suggestions: str) -> Reading:
    mention = Mention(text=term, span=Span(0, len(term)), term=term)
    return Reading(mention=mention, status="unknown", suggestions=suggestions)


def test_terms_are_escaped_in_markdown() -> None:
    hostile = "[x](http://evil) <img src=x> `a` **b** _c_"
    text = unknown_terms_text([unknown(hostile)], [], "Ann")
    assert "[x](" not in text
    assert "\\<img" in text
    assert unescape(escape(hostile)) == hostile


def test_closest_passages_are_quoted_with_document_and_page() -> None:
    quote = "Part | [1] life\n\nA_1 | 2 years"
    place = {"document_id": "1", "document_name": "a_b.pdf", "document_title": "The *book*", "page": 4}
    closest = Citation(number=1, chunk_id="c", quote=quote, passage_text=quote, **place)
    text = closest_passages_text([closest], ["warranty"], "Ann")
    assert "[1] **a\\_b.pdf** (The \\*book\\*), page 4\n\n> Part \\| \\[1\\] life  \n> A\\_1 \\| 2 years\n" in text
    assert "**warranty**" in text
    assert "Ann" in text


def test_a_dictionary_entry_reads_as_sentences() -> None:
    sense = Sense(id=1, term="VPP", extended_name="Pump Voltage", description="Opens the word line", notes="2.5 V.")
    assert entry_text(sense) == "VPP stands for Pump Voltage. Opens the word line. 2.5 V."
    phrase = Sense(id=2, term="bad block", extended_name="Bad block", description="A block that fails")
    assert entry_text(phrase) == "bad block: A block that fails."
    mention = Mention(text="VPP", span=Span(0, 3), term="VPP")
    chosen = Reading(mention=mention, status="chosen", sense=sense)
    (entry,) = dictionary_passages("What does VPP stand for?", [chosen, chosen])
    assert entry.document_name == "dictionary"
    assert len(entry.sentences) == 3


def test_dictionary_answers_only_questions_that_its_entry_covers() -> None:
    sense = Sense(id=1, term="VPP", extended_name="Pump Voltage", description="Opens the word line")
    answered = [
        "VPP?", "What is VPP?", "Can you explain to me what VPPs mean, please?", "Which line does VPP open?",
    ]  # fmt: skip
    others = ["What is the VPP of DDR4?", "What do we pay for VPP?", "Who invented VPP?"]
    for question in (*answered, *others):
        mention = Mention(text="VPPs" if "VPPs" in question else "VPP", span=Span(0, 3), term="VPP")
        chosen = Reading(mention=mention, status="chosen", sense=sense)
        assert bool(dictionary_passages(question, [chosen])) is (question in answered), question


def test_a_message_of_nothing_but_small_talk_is_small_talk() -> None:
    for kind, messages in [
        ("greeting", ["hello", "Hiii :)", "hey there!", "Good morning", "Guten Tag", "hello? anyone there?"]),
        ("thanks", ["thx", "Thank you so much!", "thanks a lot for your help", "Vielen Dank für die Hilfe"]),
        ("goodbye", ["ok thanks bye", "See you later", "That\u2019s all for now", "Tschüss!", "Schönen Tag noch"]),
        ("wellbeing", ["How are you?", "hi, how's it going", "fine, and you?", "Wie geht's?"]),
        ("identity", ["Who are you?", "What's your name?", "are you a real person", "Wer bist du?"]),
        ("acknowledgement", ["ok", "ok great", "Perfect, that helps", "never mind", "alles klar"]),
        ("capabilities", ["help", "hello, what can you do?", "What documents do you have?", "Was kannst du?"]),
    ]:  # fmt: skip
        assert {each: small_talk_in(each, is_first=True) for each in messages} == dict.fromkeys(messages, kind)
    # A message that may be a question is none.
    for message in [
        "hello packet interval", "thanks, and how do I restart it?", "Hello, how do I reset my password?", "help desk",
        "how are you notified of an outage", "What is the OK button?", "what documents do you have to sign", "bye week",
        "who are you supposed to call in an emergency", "what do you know about tRC", "good manufacturing practice",
        "thank you letter template", "ok to ship", "and on DDR5?", "the first one", "1", "no", "both, please",
        "danke, und wie starte ich neu?", "VPPは何ボルトですか？",
    ]:  # fmt: skip
        assert small_talk_in(message, is_first=True) is None, message
        assert small_talk_in(message, is_first=False) is None, message
    # A single word of praise is small talk except in a first message.
    assert small_talk_in("nice", is_first=True) is None
    assert small_talk_in("Nice!", is_first=False) == "praise"
