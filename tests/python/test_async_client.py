"""The client for asyncio against a real `lotor serve`."""

import asyncio
import inspect
import socket
import time
import unittest

import lotor
from support import PATIENCE, Server, free_port

ARMS = ["tea", "coffee", "cocoa", "water"]


class Real(unittest.IsolatedAsyncioTestCase):
    server: Server

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    async def asyncSetUp(self) -> None:
        self.client = lotor.AsyncClient(self.server.url, self.server.key, timeout=10.0 * PATIENCE)
        self.addAsyncCleanup(self.client.close)

    async def campaign(self, name: str, **more: object) -> None:
        fields = {"algorithm": "batch-klucb", "arms": ARMS, "epsilon": 1, "slots": 2, "wait_seconds": 600, **more}
        await self.client.create_campaign(name, **fields)

    async def test_rank_and_reward(self) -> None:
        self.assertTrue(await self.client.ready())
        await self.campaign("home")
        ranking = await self.client.rank("home", eligible=["tea", "cocoa"])
        self.assertEqual(set(ranking.arms), {"tea", "cocoa"})
        self.assertTrue(await self.client.reward(ranking, [1, 0]))
        rankings = await self.client.rank_batch("home", 3)
        rankings += await self.client.rank_batch("home", requests=[{"eligible": ["tea", "cocoa"]}])
        self.assertEqual(await self.client.rewards([each.feedback([0, 1]) for each in rankings]), 0)
        self.assertEqual((await self.client.campaign("home"))["decisions"], 5)
        self.assertIn("home", [each["name"] for each in await self.client.campaigns()])
        self.assertTrue((await self.client.guarantee("home"))["private"])
        await self.client.change_arms("home", pause=["water"])
        self.assertTrue((await self.client.estimates("home")).paused[3])
        self.assertEqual([each async for each in self.client.releases("home")], [])
        self.assertTrue((await self.client.close_campaign("home"))["closed"])
        with self.assertRaises(lotor.ServiceError) as caught:
            await self.client.rank("home")
        self.assertEqual(caught.exception.code, "closed")

    async def test_a_budget_over_campaigns(self) -> None:
        await self.client.create_budget("people", epsilon=2)
        self.assertEqual((await self.client.budget("people"))["most"]["epsilon"], 0)
        self.assertEqual([each["name"] for each in await self.client.budgets()], ["people"])

    async def test_releases_in_pages(self) -> None:
        await self.campaign("soon", epsilon=1000, slots=1, early_release=True)
        for _ in range(100 * PATIENCE):
            rankings = await self.client.rank_batch("soon", 100)
            await self.client.rewards([each.feedback([1]) for each in rankings])
            if (await self.client.campaign("soon"))["releases"] > 3:
                break
        releases = [each async for each in self.client.releases("soon")]
        self.assertGreater(len(releases), 3)
        self.assertEqual([each["number"] for each in releases], list(range(1, len(releases) + 1)))

    async def test_many_at_once(self) -> None:
        await self.campaign("many")

        async def visit() -> str:
            ranking = await self.client.rank("many")
            await self.client.reward(ranking, [1, 0])
            assert ranking.event is not None
            return ranking.event

        events = await asyncio.gather(*(visit() for _ in range(100)))
        self.assertEqual(len(set(events)), 100)

    async def test_a_client_can_be_used_after_it_was_closed(self) -> None:
        await self.campaign("again")
        async with self.client as client:
            await client.rank("again")
        self.assertIsNotNone((await self.client.rank("again")).event)

    async def test_a_local_client_sends_reports_alone(self) -> None:
        await self.campaign("local", algorithm="rr-klucb")
        await self.campaign("central")
        async with lotor.AsyncClient(self.server.url, self.server.key, local=True, max_epsilon=1, reward_range=(0, 1)) as careful:
            ranking = await careful.rank("local")
            self.assertTrue(await careful.reward(ranking, click=ranking.arms[0]))
            with self.assertRaises(lotor.InvalidError):
                await careful.rank("central")
        async with lotor.AsyncClient(self.server.url, self.server.key, max_epsilon=0.5) as careful:
            with self.assertRaises(lotor.InvalidError):
                await careful.rank_batch("local", 2)

    async def test_the_loop_goes_on_while_a_reply_is_late(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts, and never replies
            port = silent.getsockname()[1]
            async with lotor.AsyncClient(f"http://127.0.0.1:{port}", timeout=2.0, retries=0) as client:
                waiting = asyncio.ensure_future(client.rank("c"))
                start, ticks = time.monotonic(), 0
                while not waiting.done():
                    await asyncio.sleep(0.01)
                    ticks += 1
                self.assertGreater(ticks, 10)
                self.assertGreaterEqual(time.monotonic() - start, 1.9)
                with self.assertRaises(lotor.UnreachableError):
                    await waiting

    async def test_what_is_wrong_is_said_at_once(self) -> None:
        for wrong in ("", "shop", "ftp://x"):
            with self.assertRaises(lotor.InvalidError):
                lotor.AsyncClient(wrong)
        with self.assertRaises(lotor.InvalidError):
            lotor.AsyncClient("http://127.0.0.1", connections=0)
        async with lotor.AsyncClient(f"http://127.0.0.1:{free_port()}", retries=0) as client:
            self.assertIn("127.0.0.1", repr(client))
            with self.assertRaises(lotor.UnreachableError):
                await client.ready()


class Shape(unittest.TestCase):
    def test_the_calls_are_those_of_the_client(self) -> None:
        def calls(kind: type) -> dict[str, list[str]]:
            found = inspect.getmembers(kind, inspect.isfunction)
            return {name: list(inspect.signature(each).parameters) for name, each in found if not name.startswith("_")}

        self.assertEqual(calls(lotor.AsyncClient), calls(lotor.Client))
        options = set(inspect.signature(lotor.AsyncClient).parameters) - {"connections"}
        self.assertEqual(options, set(inspect.signature(lotor.Client).parameters))


if __name__ == "__main__":
    unittest.main()
