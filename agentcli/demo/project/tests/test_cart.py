import unittest

from shop.cart import Cart


class TotalTest(unittest.TestCase):
    def test_empty_cart_costs_nothing(self):
        self.assertEqual(Cart().total(), 0)

    def test_total_adds_the_lines(self):
        cart = Cart()
        cart.add("bread", 3.50)
        cart.add("milk", 1.25, 4)
        self.assertEqual(cart.total(), 8.50)

    def test_discount_is_taken_before_rounding(self):
        cart = Cart()
        cart.add("coffee", 19.99)
        cart.add("cheese", 24.90, 0.415)
        cart.add("tea", 15.90, 0.355)
        self.assertEqual(cart.total(discount=0.10), 32.37)

    def test_discount_must_be_a_fraction(self):
        with self.assertRaises(ValueError):
            Cart().total(discount=15)


class LineTest(unittest.TestCase):
    def test_negative_price_is_refused(self):
        with self.assertRaises(ValueError):
            Cart().add("bread", -1)

    def test_receipt_lists_every_line(self):
        cart = Cart()
        cart.add("bread", 3.50)
        cart.add("milk", 1.25, 4)
        self.assertEqual(
            cart.receipt(), "bread            3.50\nmilk             5.00\ntotal            8.50"
        )


if __name__ == "__main__":
    unittest.main()
