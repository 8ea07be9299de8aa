"""Rules are painted over, letters and bars are not."""

from PIL import Image, ImageChops, ImageDraw, ImageFont

from tools.ocr.images import without_rules


def test_lines_go_and_letters_and_bars_stay() -> None:
    bare = Image.new("L", (900, 600), 250)
    pen = ImageDraw.Draw(bare)
    pen.text((130, 120), "Hall", fill=10, font=ImageFont.load_default(size=90))
    pen.text((430, 150), "little letters in a cell", fill=10, font=ImageFont.load_default(size=26))
    pen.rectangle((100, 450, 700, 480), fill=10)
    ruled = bare.copy()
    pen = ImageDraw.Draw(ruled)
    for y in (90, 250, 400):
        pen.line((100, y, 820, y), fill=20, width=4)
    for x in (100, 400, 820):
        pen.line((x, 90, x, 400), fill=20, width=3)
    difference = ImageChops.difference(without_rules(ruled), bare)
    assert max(difference.getdata()) < 40
    assert without_rules(bare).tobytes() == bare.tobytes()


def test_letters_that_touch_a_line_keep_their_strokes() -> None:
    image = Image.new("L", (900, 300), 255)
    pen = ImageDraw.Draw(image)
    pen.rectangle((200, 100, 206, 160), fill=0)
    pen.line((100, 160, 800, 160), fill=0, width=3)
    cleaned = without_rules(image)
    assert cleaned.getpixel((203, 130)) == 0
    assert cleaned.getpixel((500, 160)) == 255
