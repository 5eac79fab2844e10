"""The explorer: pairs of graphs on one page, mixed in the browser while a slider moves (Eq. 4, 5).

`pairs` says what the page knows of a pair, `page` chooses pairs, fits matchers and writes the page,
of which `page.html`, `page.css` and `page.js` are the rest.
"""
