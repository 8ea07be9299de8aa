"""The cookies of a login: one for the session, and one for the minutes at the identity provider."""

from fastapi.responses import Response

from serving.identity.session import COOKIE

# While the browser is at the provider: what its answer is told by.
JOURNEY = "golden_login"


def give_session(response: Response, token: str, *, path: str, secure: bool, lasts_s: int) -> None:
    """Have the browser keep a session; the server ends it by its own clock, whatever the browser keeps.

    No script can read it, and with requests of other sites it goes only where one opens a page.
    """
    response.set_cookie(COOKIE, token, path=path, secure=secure, httponly=True, samesite="lax", max_age=lasts_s)


def take_session(response: Response, *, path: str, secure: bool) -> None:
    """Have the browser forget the session."""
    response.delete_cookie(COOKIE, path=path, secure=secure, httponly=True, samesite="lax")


def give_journey(response: Response, value: str, *, path: str, secure: bool, lasts_s: int) -> None:
    """Have the browser keep what the provider's answer is told by."""
    response.set_cookie(JOURNEY, value, path=path, secure=secure, httponly=True, samesite="lax", max_age=lasts_s)


def take_journey(response: Response, *, path: str, secure: bool) -> None:
    """Have the browser forget it: each answer is believed once."""
    response.delete_cookie(JOURNEY, path=path, secure=secure, httponly=True, samesite="lax")
