"""The area of whoever operates agents: registering runs, watching them, closing them, under /runs/."""
