// Faults of the page in the window, as lines of text: run by docs/site/look.py in each width and theme.
() => {
  const found = [];
  const article = document.querySelector(".md-content__inner");
  if (!article) return ["the page has no article"];
  const words = (node) => (node.textContent || node.getAttribute?.("alt") || "").trim().replace(/\s+/g, " ").slice(0, 60);
  const named = (node) => `<${node.tagName.toLowerCase()}> ${words(node)}`;
  const hidden = (node) => !node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const right = (node) => node.getBoundingClientRect().right;

  // Nothing is wider than the window.
  const root = document.documentElement;
  const width = root.clientWidth;
  if (root.scrollWidth > width + 1) found.push(`the page is ${root.scrollWidth - width} pixels wider than the window`);

  // Whatever is wider than its box has a scrollbar. An ancestor that hides what sticks out cuts it off.
  const scrolls = (node) => ["auto", "scroll"].includes(getComputedStyle(node).overflowX);
  const cuts = (node) => ["hidden", "clip"].includes(getComputedStyle(node).overflowX);
  const boxes = new Map();
  const box = (node) => {
    if (!boxes.has(node)) boxes.set(node, { right: right(node), scrolls: scrolls(node), cuts: cuts(node) });
    return boxes.get(node);
  };
  const isCut = (node) => {
    if (node.clientWidth && node.scrollWidth > node.clientWidth + 1 && box(node).cuts) return true;
    for (let outer = node.parentElement; outer !== article.parentElement; outer = outer.parentElement)
      if (box(node).right > box(outer).right + 1 && (box(outer).scrolls || box(outer).cuts)) return box(outer).cuts;
    return box(node).right > width + 1;
  };
  for (const node of article.querySelectorAll("table, pre, pre > code, svg, img, figure, p, li, h1, h2, h3, dt, dd, p > code")) {
    if (hidden(node) || node.closest(".md-clipboard, .headerlink, button, nav")) continue;
    if (node.closest("svg") && node.tagName !== "svg") continue;
    if (isCut(node)) found.push(`is cut off at the right: ${named(node)}`);
  }

  // Columns are wide enough for words: no cell is a tower of letters.
  for (const cell of article.querySelectorAll("td, th")) {
    const size = parseFloat(getComputedStyle(cell).fontSize);
    const box = cell.getBoundingClientRect();
    if (!hidden(cell) && words(cell).length > 12 && box.width < 5 * size && box.height > 12 * size)
      found.push(`a column is too narrow: ${named(cell)}`);
  }

  for (const image of article.querySelectorAll("img"))
    if (!image.complete || !image.naturalWidth) found.push(`a picture is not loaded: ${image.getAttribute("src")}`);

  for (const head of article.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const copy = head.cloneNode(true);
    copy.querySelectorAll(".headerlink").forEach((link) => link.remove());
    if (!copy.textContent.trim()) found.push(`a heading is empty: #${head.id}`);
  }

  // Texts, also those of diagrams, differ enough from what lies behind them (WCAG 2, level AA).
  const colour = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const over = ([r, g, b, a = 1], [r2, g2, b2]) => [r * a + r2 * (1 - a), g * a + g2 * (1 - a), b * a + b2 * (1 - a)];
  const grounds = new Map([[null, [255, 255, 255]]]);
  const behind = (box) => {
    if (!grounds.has(box)) {
      const layer = colour(getComputedStyle(box).backgroundColor);
      const below = layer.length === 3 ? layer : behind(box.parentElement);
      grounds.set(box, layer.length === 3 ? layer : layer[3] ? over(layer, below) : below);
    }
    return grounds.get(box);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((one, two) => two - one);
    return (x + 0.05) / (y + 0.05);
  };
  const seen = new Set();
  const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || node.closest(".headerlink, button, title, style, script")) continue;
    const style = getComputedStyle(node);
    const rect = node.closest("svg") ? node.parentElement.querySelector("rect") : null;
    const own = colour(node.closest("svg") ? style.fill : style.color);
    let ground = behind(node.closest("svg") || node);
    if (rect && own.length) ground = over(colour(getComputedStyle(rect).fill), ground);
    const key = `${own}|${ground}`;
    if (seen.has(key) || own.length < 3 || hidden(node)) continue;
    seen.add(key);
    const ratio = contrast(over(own, ground), ground);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`contrast ${ratio.toFixed(1)}: ${named(node)} (${node.className || style.color})`);
  }
  return found;
}
