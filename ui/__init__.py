"""The pages in the browser: the chat with the bot, and the pages for managers and reviewers, built with Gradio."""
