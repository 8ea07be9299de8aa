"""One run: plans each file, processes several in parallel, and stores each as soon as it is done."""
