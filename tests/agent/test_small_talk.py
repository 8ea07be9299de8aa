"""Small talk: what is answered without the documents, and what is left to them."""

from agent.small_talk import small_talk_in


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


def test_a_message_that_may_ask_the_documents_is_none() -> None:
    for message in [
        "hello packet interval", "thanks, and how do I restart it?", "Hello, how do I reset my password?", "help desk",
        "how are you notified of an outage", "What is the OK button?", "what documents do you have to sign", "bye week",
        "who are you supposed to call in an emergency", "what do you know about tRC", "good manufacturing practice",
        "thank you letter template", "ok to ship", "and on DDR5?", "the first one", "1", "no", "both, please",
        "danke, und wie starte ich neu?", "VPPは何ボルトですか？",
    ]:  # fmt: skip
        assert small_talk_in(message, is_first=True) is None, message
        assert small_talk_in(message, is_first=False) is None, message


def test_a_single_word_of_praise_is_small_talk_only_where_there_is_something_to_praise() -> None:
    assert small_talk_in("nice", is_first=True) is None
    assert small_talk_in("Nice!", is_first=False) == "praise"
