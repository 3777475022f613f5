"""The client of the decision service for asyncio. It needs only Python's own library."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, SupportsIndex, TypeVar

from numpy.typing import ArrayLike

from ._numbers import Budget, whole
from .client import NOT_GIVEN, Client, Estimates, Ranking, _NotGiven

_P = ParamSpec("_P")
_T = TypeVar("_T")


class AsyncClient:
    """`Client` for asyncio: the same calls and rules, to be awaited.

        async with lotor.AsyncClient('http://127.0.0.1:8080', key) as client:
            ranking = await client.rank('home')
            await client.reward(ranking, rewards=[1, 0])

    Up to `connections` requests run at the same time, each in a thread of its own with a `Client` that all of
    them share; further requests wait. The event loop is never blocked. If a task is cancelled while it waits for
    a reply, its request goes on: a decision may be made that nobody sees, and feedback may be counted. The other
    options are those of `Client`.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        local: bool = False,
        max_epsilon: Budget | None = None,
        reward_range: tuple[float, float] | None = None,
        timeout: float = 10.0,
        retries: int = 4,
        connections: SupportsIndex = 16,
    ) -> None:
        self._client = Client(
            url,
            key,
            local=local,
            max_epsilon=max_epsilon,
            reward_range=reward_range,
            timeout=timeout,
            retries=retries,
        )
        self._connections = whole(connections, "connections", 1)
        self._threads: ThreadPoolExecutor | None = None

    def __repr__(self) -> str:
        return f"Async{self._client!r}"

    async def _run(self, call: Callable[_P, _T], /, *arguments: _P.args, **options: _P.kwargs) -> _T:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._connections, thread_name_prefix="lotor")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: call(*arguments, **options))

    async def close(self) -> None:
        """Waits for the requests that run, and closes all connections. The client can still be used."""
        threads, self._threads = self._threads, None
        if threads is not None:
            await asyncio.get_running_loop().run_in_executor(None, threads.shutdown)
        self._client.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Decisions and feedback

    async def rank(
        self,
        campaign: str,
        *,
        user: str | None = None,
        context: Mapping[str, ArrayLike] | None = None,
        eligible: Iterable[str] | None = None,
    ) -> Ranking:
        """See `Client.rank`."""
        return await self._run(self._client.rank, campaign, user=user, context=context, eligible=eligible)

    async def rank_batch(
        self,
        campaign: str,
        count: SupportsIndex | None = None,
        *,
        requests: Iterable[Mapping[str, Any]] | None = None,
    ) -> list[Ranking]:
        """See `Client.rank_batch`."""
        return await self._run(self._client.rank_batch, campaign, count, requests=requests)

    async def reward(
        self, ranking: Ranking, rewards: ArrayLike | None = None, *, click: str | None | _NotGiven = NOT_GIVEN
    ) -> bool:
        """See `Client.reward`."""
        return await self._run(self._client.reward, ranking, rewards, click=click)

    async def rewards(self, feedback: Iterable[Mapping[str, Any]]) -> int:
        """See `Client.rewards`."""
        return await self._run(self._client.rewards, feedback)

    # Campaigns; these calls need an admin's key

    async def create_campaign(
        self,
        name: str,
        *,
        arms: Sequence[str | Mapping[str, Any]],
        epsilon: Budget,
        algorithm: str | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """See `Client.create_campaign`."""
        return await self._run(
            self._client.create_campaign, name, arms=arms, epsilon=epsilon, algorithm=algorithm, **fields
        )

    async def put_campaign(
        self,
        name: str,
        *,
        arms: Sequence[str | Mapping[str, Any]],
        epsilon: Budget,
        algorithm: str | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """See `Client.put_campaign`."""
        return await self._run(
            self._client.put_campaign, name, arms=arms, epsilon=epsilon, algorithm=algorithm, **fields
        )

    async def campaigns(self, *, archived: bool = False) -> list[dict[str, Any]]:
        """See `Client.campaigns`."""
        return await self._run(self._client.campaigns, archived=archived)

    async def campaign(self, name: str) -> dict[str, Any]:
        """See `Client.campaign`."""
        return await self._run(self._client.campaign, name)

    async def guarantee(self, name: str) -> dict[str, Any]:
        """See `Client.guarantee`."""
        return await self._run(self._client.guarantee, name)

    async def statement(self, name: str) -> dict[str, Any]:
        """See `Client.statement`."""
        return await self._run(self._client.statement, name)

    async def estimates(self, name: str) -> Estimates:
        """See `Client.estimates`."""
        return await self._run(self._client.estimates, name)

    async def releases(self, name: str) -> AsyncIterator[dict[str, Any]]:
        """All releases so far, the oldest first: `async for release in client.releases(name)`."""
        after: int | None = 0
        while after is not None:
            releases, after = await self._run(self._client._releases_after, name, after)
            for release in releases:
                yield release

    async def change_arms(
        self,
        name: str,
        *,
        add: Sequence[str | Mapping[str, Any]] = (),
        pause: Sequence[str] = (),
        resume: Sequence[str] = (),
        remove: Sequence[str] = (),
    ) -> dict[str, Any]:
        """See `Client.change_arms`."""
        return await self._run(self._client.change_arms, name, add=add, pause=pause, resume=resume, remove=remove)

    async def edit_campaign(
        self,
        name: str,
        *,
        title: str | None | _NotGiven = NOT_GIVEN,
        description: str | None | _NotGiven = NOT_GIVEN,
        metadata: Mapping[str, str | float | bool] | None | _NotGiven = NOT_GIVEN,
        purpose: str | None | _NotGiven = NOT_GIVEN,
        controller: str | None | _NotGiven = NOT_GIVEN,
        legal_basis: str | None | _NotGiven = NOT_GIVEN,
        contact: str | None | _NotGiven = NOT_GIVEN,
        arms: Iterable[Mapping[str, Any]] = (),
        max_arms: int | None = None,
    ) -> dict[str, Any]:
        """See `Client.edit_campaign`."""
        return await self._run(
            self._client.edit_campaign,
            name,
            title=title,
            description=description,
            metadata=metadata,
            purpose=purpose,
            controller=controller,
            legal_basis=legal_basis,
            contact=contact,
            arms=arms,
            max_arms=max_arms,
        )

    async def close_campaign(self, name: str) -> dict[str, Any]:
        """See `Client.close_campaign`."""
        return await self._run(self._client.close_campaign, name)

    async def pause_campaign(self, name: str) -> dict[str, Any]:
        """See `Client.pause_campaign`."""
        return await self._run(self._client.pause_campaign, name)

    async def resume_campaign(self, name: str) -> dict[str, Any]:
        """See `Client.resume_campaign`."""
        return await self._run(self._client.resume_campaign, name)

    async def archive_campaign(self, name: str) -> dict[str, Any]:
        """See `Client.archive_campaign`."""
        return await self._run(self._client.archive_campaign, name)

    async def unarchive_campaign(self, name: str) -> dict[str, Any]:
        """See `Client.unarchive_campaign`."""
        return await self._run(self._client.unarchive_campaign, name)

    async def delete_campaign(self, name: str) -> dict[str, Any]:
        """See `Client.delete_campaign`."""
        return await self._run(self._client.delete_campaign, name)

    async def create_budget(self, name: str, *, epsilon: Budget, delta: Budget = 0) -> dict[str, Any]:
        """See `Client.create_budget`."""
        return await self._run(self._client.create_budget, name, epsilon=epsilon, delta=delta)

    async def budgets(self) -> list[dict[str, Any]]:
        """See `Client.budgets`."""
        return await self._run(self._client.budgets)

    async def budget(self, name: str) -> dict[str, Any]:
        """See `Client.budget`."""
        return await self._run(self._client.budget, name)

    async def ready(self) -> bool:
        """See `Client.ready`."""
        return await self._run(self._client.ready)
