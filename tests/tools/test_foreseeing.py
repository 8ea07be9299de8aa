"""Work that is begun before it is asked for is for one question, one sentence and these very passages."""

import asyncio

from contracts.text import Chunk, Passage
from tools.foreseeing import BegunWork
from tools.precedence import gives_way


def passage(text: str) -> Passage:
    chunk = Chunk(id="c", document_id="d", kind="passage", ordinal=0, text=text, page=1, last_page=1)
    return Passage(chunk=chunk, document_name="d.txt", document_title="", score=0.0)


PUMP = passage("It runs.")


class Worker:
    def __init__(self) -> None:
        self.begun = 0

    async def work(self) -> str:
        self.begun += 1
        await asyncio.sleep(0)
        return f"verdict {self.begun}"

    async def fail(self) -> str:
        raise RuntimeError("the model is broken")


async def test_what_was_begun_is_there_once_and_begun_once() -> None:
    work, worker = BegunWork[str](), Worker()
    for _ in range(2):
        work.begin("Does it run?", "It runs.", [PUMP], worker.work)
    assert await work.take("Does it run?", "It runs.", (PUMP,)) == "verdict 1"
    assert worker.begun == 1
    assert await work.take("Does it run?", "It runs.", (PUMP,)) is None


async def test_another_question_sentence_or_passage_has_none() -> None:
    work, worker = BegunWork[str](), Worker()
    work.begin("Does it run?", "It runs.", [PUMP], worker.work)
    assert await work.take("Is it hot?", "It runs.", [PUMP]) is None
    assert await work.take("Does it run?", "It is hot.", [PUMP]) is None
    assert await work.take("Does it run?", "It runs.", [passage("It runs.")]) is None
    assert await work.take("Does it run?", "It runs.", [PUMP, PUMP]) is None
    assert await work.take("Does it run?", "It runs.", [PUMP]) == "verdict 1"


async def test_what_failed_is_as_if_it_was_not_begun() -> None:
    work = BegunWork[str]()
    work.begin("Does it run?", "It runs.", [PUMP], Worker().fail)
    assert await work.take("Does it run?", "It runs.", [PUMP]) is None


async def test_what_nobody_takes_makes_room() -> None:
    work, worker = BegunWork[str](), Worker()
    for number in range(100):
        work.begin("Does it run?", f"Sentence {number}.", [PUMP], worker.work)
    await asyncio.sleep(0.01)
    assert await work.take("Does it run?", "Sentence 0.", [PUMP]) is None
    assert await work.take("Does it run?", "Sentence 99.", [PUMP]) is not None


async def test_work_gives_way_until_its_verdict_is_waited_for() -> None:
    work, waits = BegunWork[tuple[bool, bool]](), asyncio.Event()

    async def judge() -> tuple[bool, bool]:
        before = gives_way()
        await waits.wait()
        return before, gives_way()

    work.begin("Does it run?", "It runs.", [PUMP], judge)
    taken = asyncio.create_task(work.take("Does it run?", "It runs.", [PUMP]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waits.set()
    assert await taken == (True, False)
    assert not gives_way()
