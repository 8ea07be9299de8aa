"""The chat in the browser: a Gradio page over the chatbot."""
