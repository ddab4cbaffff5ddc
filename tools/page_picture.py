#!/usr/bin/env python3
# SPDX-License-Identifier: Zlib
"""Takes a picture of the top of a load's page, for the documentation.

    tools/page_picture.py PAGE.html PICTURE.png [HEIGHT]

with Debian's Chromium, selenium and Pillow, in few colours to keep it small.
"""

import io
import pathlib
import sys

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

WIDTH, HEIGHT, COLOURS = 1160, 900, 64


def main(page, picture, height=HEIGHT):
    options = webdriver.ChromeOptions()
    for each in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(each)
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    try:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": WIDTH, "height": int(height), "deviceScaleFactor": 1.5, "mobile": False})
        driver.get(pathlib.Path(page).resolve().as_uri())
        taken = Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")
    finally:
        driver.quit()
    few = taken.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(picture, compress_level=9)
    print(f"{picture}: {pathlib.Path(picture).stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
