"""The explorer: pairs of graphs on one page, mixed in the browser while a slider moves (Eq. 4 and
5).

`pairs` says what the page knows of a pair, `page` joins it with `page.html`, `page.css` and
`page.js` into one file, and `source` makes the page of a dataset.
"""
