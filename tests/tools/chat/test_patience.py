"""A limit on each of many waits in a row."""

import asyncio

import pytest

from tools.chat.patience import Patience


async def test_a_wait_longer_than_its_limit_is_cut_off_and_those_before_it_are_not() -> None:
    waited: list[int] = []

    async def wait_on() -> None:
        patience, loop = Patience(), asyncio.get_running_loop()
        try:
            while True:
                with patience.until(loop.time() + 1.0):
                    # Together they last longer than one may; the last one never ends.
                    await asyncio.sleep(0.03 if len(waited) < 40 else 60.0)
                waited.append(1)
        finally:
            patience.close()

    with pytest.raises(TimeoutError):
        await wait_on()
    assert len(waited) == 40


async def test_a_later_wait_may_be_shorter_than_the_first() -> None:
    patience, loop = Patience(), asyncio.get_running_loop()
    with patience.until(loop.time() + 3_600.0):
        await asyncio.sleep(0)
    async with asyncio.timeout(30):
        with pytest.raises(TimeoutError), patience.until(loop.time() + 0.01):
            await asyncio.Event().wait()
    patience.close()


async def test_a_limit_that_has_passed_cuts_the_wait_off_at_once() -> None:
    patience, loop = Patience(), asyncio.get_running_loop()
    with pytest.raises(TimeoutError), patience.until(loop.time() - 1.0):
        await asyncio.Event().wait()
    patience.close()


async def test_what_is_done_between_two_waits_is_not_bounded() -> None:
    patience, loop = Patience(), asyncio.get_running_loop()
    with patience.until(loop.time() + 0.02):
        await asyncio.sleep(0)
    await asyncio.sleep(0.1)
    with patience.until(loop.time() + 60.0):
        await asyncio.sleep(0)
    patience.close()


async def test_who_is_cancelled_by_another_is_cancelled_and_not_late() -> None:
    async def wait() -> None:
        patience, loop = Patience(), asyncio.get_running_loop()
        try:
            with patience.until(loop.time() + 60.0):
                await asyncio.Event().wait()
        finally:
            patience.close()

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert waiting.cancelled()
