"""The hall where everything meets: the loop, its turns, and the facade that front ends call."""
