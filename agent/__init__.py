"""The order of steps that a question takes: state, nodes, routes, graph, and the chatbot around them."""
