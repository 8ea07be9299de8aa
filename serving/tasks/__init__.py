"""Tasks: what chat front ends ask for themselves: titles, tags, further questions. They do not pass the graph."""

from serving.tasks.answering import TaskAnswerer
from serving.tasks.recognising import Task, find_task

__all__ = ["Task", "TaskAnswerer", "find_task"]
