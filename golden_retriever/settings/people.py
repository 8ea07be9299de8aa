"""Settings of the people who ask and manage."""

import getpass

from pydantic import BaseModel, Field, SecretStr

from agent.policy import Policy


class PeopleSettings(BaseModel):
    """Who asks, who manages, and what is kept of what they say."""

    contact: str = Field(Policy.contact, description="Contact shown when nothing is found.")
    user: str = Field("", description="Who changes the dictionary, for its history; empty: the system's user name.")
    keep_questions: bool = Field(
        True,
        description="Whether what people ask is kept: conversations and answers, and questions with unknown terms and "
        "corrected readings. If not, a conversation is remembered while the process runs, and nowhere else.",
    )
    keep_conversations_days: int = Field(
        365,
        ge=0,
        le=36_500,
        description="Days after its last question after which a conversation is deleted; 0: never.",
    )
    log_questions: bool = Field(
        False, description="Whether the log and the traces hold the text of questions; never answers, nor secrets."
    )
    department: str = Field("", description="The asker's department, for the command line and the chat.")
    api_key: SecretStr = Field(
        SecretStr(""), description="The API key with which `golden ask` asks a running server that wants one."
    )
    mcp_key: SecretStr = Field(
        SecretStr(""), description="The API key under which `golden mcp` asks; empty: it reads what this account may."
    )

    @property
    def effective_user(self) -> str:
        """The name under which the command line changes the dictionary, with its default filled in."""
        if self.user.strip():
            return self.user.strip()
        try:
            return getpass.getuser()
        except (KeyError, OSError):
            # A container may run under a number that has no name.
            return "somebody"
