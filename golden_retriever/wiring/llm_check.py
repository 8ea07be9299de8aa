"""What a language model's server can do, what would run on it, and the profile that suits it."""

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.errors import ConfigurationError, GoldenError
from golden_retriever.language_models.speed import Speed, measure_speed
from golden_retriever.profiles import COSTS, Engine, Profile, engines_of
from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_server, chosen_adapters, serving_llm

if TYPE_CHECKING:
    from tools.adapters.declaration import AdapterDeclaration
    from tools.chat.server_probe import ServerFindings

# Few people wait longer than this for an answer.
_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFinding:
    """One intrinsic: the engine ``asked`` for, the one it ``runs_on``, its model there, and what that means."""

    intrinsic: str
    asked: Engine
    runs_on: str
    model: str = ""
    note: str = ""

    @property
    def as_asked(self) -> bool:
        return self.asked == self.runs_on

    def __str__(self) -> str:
        runs_on = self.runs_on if self.as_asked else f"{self.runs_on} !"
        return f"{self.intrinsic:<22}  {self.asked:<8}  {runs_on:<10}  {self.model}  {self.note}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmReport:
    """What the server offers, how fast it is (None: unknown), where each intrinsic runs, and which profile suits it.

    ``suits`` is the profile that uses the model most among those where a question takes at most half a minute.
    """

    server: "ServerFindings"
    speed: Speed | None
    profile: Profile
    engines: tuple[EngineFinding, ...]

    @property
    def as_asked(self) -> bool:
        return all(each.as_asked for each in self.engines)

    @property
    def suits(self) -> Profile:
        if self.speed is None or not self.server.chat.passed or not self.server.streaming.passed:
            return "embedded"
        possible: tuple[Profile, ...] = ("quality", "balanced") if self.server.structured.passed else ("balanced",)
        return next((each for each in possible if self.seconds(each) <= _PATIENCE_S), "embedded")

    def seconds(self, profile: Profile) -> float:
        cost = COSTS[profile]
        return self.speed.seconds(cost.prompt_tokens, cost.reply_tokens) if self.speed else 0.0

    @property
    def lines(self) -> tuple[str, ...]:
        server = self.server
        table = ("", f"{'intrinsic':<22}  {'asked':<8}  {'runs on':<10}  model", *map(str, self.engines))
        if server.problem:
            return (f"{server.address}: {server.problem}", *table)
        return (
            f"{server.address}: answers",
            f"  models            {', '.join(server.models) or 'none listed'}",
            f"  context window    {f'{server.max_tokens} tokens' if server.max_tokens else 'not reported'}",
            f"  plain reply       {server.chat}",
            f"  streaming         {server.streaming}",
            f"  structured reply  {server.structured}",
            f"  log-probabilities {server.logprobs}",
            *(f"  adapter {name}: {probe}" for name, probe in server.adapters),
            *([f"  speed             {self.speed}"] if self.speed else []),
            *table,
        )

    @property
    def verdict(self) -> str:
        suits, now = self.suits, self.profile
        if self.speed is None:
            why = self.server.problem or self.server.chat.said or "It broke off when its speed was measured."
            said = f"No profile but embedded suits this server. {why}"
        elif suits == "embedded":
            slow = f"a question would take about {self.seconds('balanced'):.0f} s in balanced"
            lacks = "" if self.server.streaming.passed else "it does not stream, and "
            said = f"The profile embedded suits this server: {lacks}{slow}."
        else:
            said = (
                f"The profile {suits} suits this server: about {self.seconds(suits):.0f} s a question, in at most "
                f"{COSTS[suits].calls} calls."
            )
        if self.speed and now != suits:
            slow = f", about {self.seconds(now):.0f} s" if now not in ("embedded", "balanced") else ""
            said += f" Set GOLDEN_PROFILE={suits} (it is {now}{slow})."
        wrong = sum(not each.as_asked for each in self.engines)
        return said + (f" What does not run on the engine asked for is marked (!): {wrong}." if wrong else "")


async def check_llm(settings: Settings) -> LlmReport:
    """Probe the language model's server, and report what will run where.

    Raises:
        ConfigurationError: no language model is set, it cannot be served, or an adapter's file is wrong.
    """
    from tools.chat.server_probe import probe_server

    if not settings.llm:
        raise ConfigurationError("No language model is set, so everything runs on the embedded engine: set GOLDEN_LLM.")
    adapters = chosen_adapters(settings)
    wanted = {each.model: each.prompt.convention != "chat" for each in adapters.values()}
    async with serving_llm(settings) as (served, _):
        chat = build_server(served)
        speed = None
        try:
            server = await probe_server(chat, adapters=tuple(wanted.items()))
            if server.chat.passed:
                with suppress(GoldenError):
                    speed = await measure_speed(chat)
        finally:
            await chat.close()
    chosen = engines_of(settings.profile, settings.engines)
    found = tuple(_found(settings, name, engine, adapters.get(name), server) for name, engine in chosen.items())
    return LlmReport(server=server, speed=speed, profile=settings.profile, engines=found)


def _found(
    settings: Settings, name: str, asked: Engine, adapter: "AdapterDeclaration | None", server: "ServerFindings"
) -> EngineFinding:
    if asked == "embedded":
        return EngineFinding(intrinsic=name, asked=asked, runs_on=asked)
    needed = server.streaming if name == "answer_generation" else server.structured
    probe, model = needed, settings.llm_model or server.model
    if adapter is not None:
        probe, model = server.adapter(adapter.model), adapter.model
    if probe.passed:
        return EngineFinding(intrinsic=name, asked=asked, runs_on=asked, model=model)
    instead = "nothing: its requests are refused" if settings.degrade == "refuse" else "embedded"
    return EngineFinding(intrinsic=name, asked=asked, runs_on=instead, model=model, note=server.problem or probe.said)
