"""The shopping cart: lines, totals and the receipt."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One article in the cart; ``price`` is for one piece or one kilo."""

    name: str
    price: float
    quantity: float = 1


class Cart:
    """Collects lines and adds them up."""

    def __init__(self):
        self.lines = []

    def add(self, name, price, quantity=1):
        """Put an article into the cart."""
        if price < 0 or quantity <= 0:
            raise ValueError(f"bad line: {name} {price} x {quantity}")
        self.lines.append(Line(name, price, quantity))

    def total(self, discount=0.0):
        """What the customer pays, in whole cents; ``discount`` is a fraction such as 0.15."""
        if not 0 <= discount < 1:
            raise ValueError(f"discount must be in [0, 1): {discount}")
        subtotal = 0.0
        for line in self.lines:
            subtotal += round(line.price * line.quantity, 2)
        return subtotal * (1 - discount)

    def receipt(self, discount=0.0):
        """The receipt as text, one line per article and the total."""
        rows = [f"{line.name:<12}{line.price * line.quantity:>9.2f}" for line in self.lines]
        return "\n".join([*rows, f"{'total':<12}{self.total(discount):>9.2f}"])
