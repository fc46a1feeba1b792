-- What Quarto adds to pandoc's Markdown, for the pages of this site: numbered figures, tables and
-- equations with their references, callouts, tabsets, panels and folded code.
-- The HTML it makes has Quarto's ids and classes, so that one stylesheet serves both renderers.

local NAMES = { fig = "Figure", tbl = "Table", eq = "Equation", sec = "Section" }
local CALLOUTS = {
  note = "Note", tip = "Tip", warning = "Warning", important = "Important", caution = "Caution",
}

local numbers = {}  -- label -> the number its references show, such as "3" or "3 (a)"
local counts = { fig = 0, tbl = 0, eq = 0 }
local sections = { 0, 0, 0, 0, 0, 0 }
local serial = { callout = 0, tabset = 0 }
local static = false  -- a page without scripts: tabs become ordinary sections
local number_blocks  -- the main filter; floats, callouts and tabsets hand their contents to it

local function html(text) return pandoc.RawBlock("html", text) end

local function kind_of(label)
  local kind = label:match("^(%a+)%-")
  return NAMES[kind] and kind or nil
end

local function register(label, number)
  if numbers[label] then pandoc.log.warn("label used twice: " .. label) end
  numbers[label] = number
end

local function inlines_of(markdown)
  local first = pandoc.read(markdown, "markdown").blocks[1]
  return first and first.content or pandoc.Inlines {}
end

local function walk(blocks) return pandoc.Blocks(blocks):walk(number_blocks) end

-- HTML tables -------------------------------------------------------------------------------------

-- A raw HTML table becomes a real one, as in Quarto, so that captions and classes reach it.
local function read_tables(block)
  if block.format ~= "html" or not block.text:find("<table") then return nil end
  local result, rest = pandoc.Blocks {}, block.text
  while true do
    local from, to = rest:find("<table.-</table>")
    if not from then break end
    local before = rest:sub(1, from - 1)
    if before:find("<style") then result:insert(html(before)) end
    result:extend(pandoc.read(rest:sub(from, to), "html").blocks)
    rest = rest:sub(to + 1)
  end
  return result
end

-- Figures and tables ------------------------------------------------------------------------------

local function set_alternative_text(image, alternative)
  alternative = image.attributes["fig-alt"] or alternative
  image.attributes["fig-alt"] = nil
  image.caption = alternative and pandoc.Inlines { pandoc.Str(alternative) } or pandoc.Inlines {}
  image.classes:insert("img-fluid")
  return image
end

local function set_column_widths(tbl, text)
  local shares, total = {}, 0
  for share in text:gmatch("[%d.]+") do
    shares[#shares + 1] = tonumber(share)
    total = total + tonumber(share)
  end
  if #shares ~= #tbl.colspecs then
    pandoc.log.warn("tbl-colwidths has " .. #shares .. " widths for " .. #tbl.colspecs .. " columns")
    return tbl
  end
  for i, spec in ipairs(tbl.colspecs) do spec[2] = shares[i] / math.max(total, 100) end
  tbl.colspecs = tbl.colspecs
  return tbl
end

-- The markup of one float. `label_text` is "Figure 1" or, in a panel, "(a)".
local function float(id, kind, label_text, blocks, caption, options)
  local part = options.sub and "subfloat" or "float"
  local place = kind == "tbl" and "top" or "bottom"
  local classes = { "quarto-float", "quarto-figure", "quarto-figure-center", "anchored" }
  for _, class in ipairs(options.classes or {}) do table.insert(classes, class) end
  local named = pandoc.Inlines { pandoc.Str(label_text) }
  if #caption > 0 then
    if not options.sub then named[1].text = label_text .. ":" end
    named:insert(pandoc.Space())
    named:extend(caption)
  end
  local figcaption = {
    html(string.format(
      '<figcaption class="quarto-float-caption-%s quarto-%s-caption quarto-%s-%s%s" id="%s-caption">',
      place, part, part, kind, #caption == 0 and " quarto-uncaptioned" or "", id)),
    pandoc.Plain(named),
    html("</figcaption>"),
  }
  local result = pandoc.Blocks {
    html(string.format('<figure class="quarto-float quarto-%s-%s figure">', part, kind)),
  }
  if place == "top" then result:extend(figcaption) end
  result:insert(html(string.format('<div aria-describedby="%s-caption">', id)))
  result:extend(blocks)
  result:insert(html("</div>"))
  if place == "bottom" then result:extend(figcaption) end
  result:insert(html("</figure>"))
  return pandoc.Div(result, pandoc.Attr(id, classes))
end

local function in_columns(blocks, n_columns)
  local width = string.format("%.1f%%", 100 / n_columns)
  local cells = pandoc.Blocks {}
  for _, block in ipairs(blocks) do
    cells:insert(pandoc.Div({ block }, pandoc.Attr("", { "quarto-layout-cell" },
      { style = "flex-basis: " .. width .. ";" })))
  end
  return pandoc.Blocks { pandoc.Div(cells, pandoc.Attr("", { "quarto-layout-row" })) }
end

-- Numbers a float, then its panels as "3 (a)", "3 (b)".
local function make_float(id, kind, blocks, caption, options)
  counts[kind] = counts[kind] + 1
  local number = tostring(counts[kind])
  register(id, number)
  local function picture(image)
    image.classes:insert("figure-img")
    return set_alternative_text(image, options.alternative)
  end
  local n_panels = 0
  local function panel(sub_id, sub_blocks, sub_caption)
    n_panels = n_panels + 1
    local letter = string.char(96 + n_panels)
    register(sub_id, number .. " (" .. letter .. ")")
    sub_blocks = pandoc.Blocks(sub_blocks):walk { Image = picture }
    return float(sub_id, kind, "(" .. letter .. ")", sub_blocks, sub_caption, { sub = true })
  end
  local function as_panel(element)
    if kind_of(element.identifier) ~= kind then return nil end
    local sub_blocks, sub_caption = options.split(element)
    return panel(element.identifier, sub_blocks, sub_caption), false
  end
  local inner = pandoc.Blocks(blocks):walk {
    traverse = "topdown",
    Div = as_panel,
    Figure = as_panel,
    Image = picture,
  }
  inner = walk(inner)
  if options.columns then inner = in_columns(inner, options.columns) end
  return float(id, kind, NAMES[kind] .. "\u{a0}" .. number, inner, caption, options), false
end

local function caption_of_table(tbl)
  local first = tbl.caption.long[1]
  local caption = first and first.content or pandoc.Inlines {}
  tbl.caption = { long = {}, short = nil }
  return tbl, caption
end

-- A caption's attributes, `{#tbl-x tbl-colwidths="[20,80]"}`, arrive as ordinary words.
local function caption_attributes(caption)
  for i, inline in ipairs(caption) do
    if inline.t == "Str" and inline.text:match("^{[#.%a]") then
      local tail = pandoc.Inlines {}
      for j = i, #caption do tail:insert(caption[j]) end
      local text = pandoc.utils.stringify(tail)
      if not text:match("}$") then return caption, "", nil end
      local kept = pandoc.Inlines {}
      for j = 1, i - 1 do kept:insert(caption[j]) end
      if #kept > 0 and kept[#kept].t == "Space" then kept:remove() end
      return kept, text:match("#([%w%-_]+)") or "", text:match("tbl%-colwidths=.-%[([^%]]*)%]")
    end
  end
  return caption, "", nil
end

-- A div's or figure's contents and its caption: the last paragraph, an attribute, or a table's own.
local function split_float(element)
  if element.t == "Figure" then
    local long = element.caption.long[1]
    return element.content, long and long.content or pandoc.Inlines {}
  end
  local blocks = pandoc.Blocks(element.content)
  local kind = kind_of(element.identifier)
  local last = blocks[#blocks]
  if #blocks > 1 and last.t == "Para" then
    blocks:remove()
    return blocks, last.content
  end
  local given = element.attributes[kind .. "-cap"]
  if given then return blocks, inlines_of(given) end
  local caption = pandoc.Inlines {}
  blocks = blocks:walk {
    Table = function(tbl)
      tbl, caption = caption_of_table(tbl)
      return tbl
    end,
  }
  return blocks, caption
end

local function float_div(div)
  local blocks, caption = split_float(div)
  local widths = div.attributes["tbl-colwidths"]
  if widths then
    blocks = blocks:walk { Table = function(tbl) return set_column_widths(tbl, widths) end }
  end
  return make_float(div.identifier, kind_of(div.identifier), blocks, caption, {
    classes = div.classes:filter(function(c) return c:match("^column%-") ~= nil end),
    alternative = div.attributes["fig-alt"],
    columns = tonumber(div.attributes["layout-ncol"]),
    split = split_float,
  })
end

local function figure(fig)
  local image = fig.content[1] and fig.content[1].content and fig.content[1].content[1]
  if image and image.t == "Image" and fig.identifier == "" then
    fig.identifier, image.identifier = image.identifier, ""
  end
  local caption = fig.caption.long[1] and fig.caption.long[1].content or pandoc.Inlines {}
  if kind_of(fig.identifier) == "fig" then
    return make_float(fig.identifier, "fig", fig.content, caption, { split = split_float })
  end
  local blocks = fig.content:walk {
    Image = function(picture)
      picture.classes:insert("figure-img")
      return set_alternative_text(picture)
    end,
  }
  local result = pandoc.Blocks { html('<figure class="figure">') }
  result:extend(blocks)
  result:extend { html("<figcaption>"), pandoc.Plain(caption), html("</figcaption></figure>") }
  return pandoc.Div(result, pandoc.Attr("", { "quarto-figure", "quarto-figure-center" })), false
end

local function style_table(tbl)
  if tbl.classes:includes("table") then return tbl end
  for _, class in ipairs { "caption-top", "table" } do tbl.classes:insert(class) end
  return tbl
end

local function table_block(tbl)
  local bare, caption = caption_of_table(tbl)
  local kept, id, widths = caption_attributes(caption)
  if bare.identifier ~= "" then id, bare.identifier = bare.identifier, "" end
  widths = widths or bare.attributes["tbl-colwidths"]
  bare.attributes["tbl-colwidths"] = nil
  if widths then bare = set_column_widths(bare, widths) end
  style_table(bare)
  if kind_of(id) == "tbl" then
    return make_float(id, "tbl", { bare }, kept, { split = split_float })
  end
  bare.identifier = id
  if #kept > 0 then bare.caption = { long = { pandoc.Plain(kept) } } end
  return bare, false
end

-- Equations and sections --------------------------------------------------------------------------

local function number_equations(block)
  local result, i = pandoc.Inlines {}, 1
  local content = block.content
  while i <= #content do
    local inline = content[i]
    local after = content[i + 1] and content[i + 1].t == "Space" and i + 2 or i + 1
    local target = content[after]
    local label = target and target.t == "Str" and target.text:match("^{#(eq%-[^}]+)}$")
    if inline.t == "Math" and inline.mathtype == "DisplayMath" and label then
      counts.eq = counts.eq + 1
      register(label, tostring(counts.eq))
      inline.text = inline.text .. " \\qquad(" .. counts.eq .. ")"
      result:insert(pandoc.Span({ inline }, pandoc.Attr(label)))
      i = after + 1
    else
      result:insert(inline)
      i = i + 1
    end
  end
  block.content = result
  return block
end

local function number_section(header)
  if header.classes:includes("unnumbered") then return nil end
  local level = header.level
  for deeper = level + 1, 6 do sections[deeper] = 0 end
  sections[level] = sections[level] + 1
  if kind_of(header.identifier) == "sec" then
    local first = 1
    while sections[first] == 0 do first = first + 1 end
    register(header.identifier, table.concat(sections, ".", first, level))
  end
  return nil
end

-- Callouts, tabsets, panels, code -----------------------------------------------------------------

local function callout_kind(div)
  for _, class in ipairs(div.classes) do
    local kind = class:match("^callout%-(%a+)$")
    if kind and CALLOUTS[kind] then return kind end
  end
  return nil
end

local function callout(div, kind)
  serial.callout = serial.callout + 1
  local blocks, title = pandoc.Blocks(div.content), nil
  if div.attributes.title then
    title = inlines_of(div.attributes.title)
  elseif blocks[1] and blocks[1].t == "Header" then
    title = blocks:remove(1).content
  end
  local style = div.attributes.appearance or "default"
  local id = "callout-" .. serial.callout
  local collapse = div.attributes.collapse
  local head = { pandoc.Plain(title or { pandoc.Str(CALLOUTS[kind]) }) }
  if title then
    head[1].content:insert(1, pandoc.RawInline("html",
      '<span class="screen-reader-only">' .. CALLOUTS[kind] .. "</span>"))
  end
  local toggle, button, body_open, body_close = "", "", "", ""
  if collapse then
    local open = collapse == "false"
    toggle = string.format('%s" data-bs-toggle="collapse" data-bs-target=".%s-contents" ' ..
      'aria-controls="%s" aria-expanded="%s" aria-label="Toggle callout',
      open and "" or " collapsed", id, id, tostring(open))
    button = '<div class="callout-btn-toggle d-inline-block border-0 py-1 ps-1 pe-0 float-end">' ..
      '<i class="callout-toggle"></i></div>'
    body_open = string.format('<div id="%s" class="%s-contents callout-collapse collapse%s">',
      id, id, open and " show" or "")
    body_close = "</div>"
  end
  local result = pandoc.Blocks {
    html('<div class="callout-header d-flex align-content-center' .. toggle .. '">' ..
      '<div class="callout-icon-container"><i class="callout-icon"></i></div>' ..
      '<div class="callout-title-container flex-fill">'),
    head[1],
    html("</div>" .. button .. "</div>" .. body_open ..
      '<div class="callout-body-container callout-body">'),
  }
  result:extend(walk(blocks))
  result:insert(html("</div>" .. body_close))
  return pandoc.Div(result, pandoc.Attr(div.identifier,
    { "callout", "callout-style-" .. style, "callout-" .. kind, "callout-titled" })), false
end

local function tabset(div)
  serial.tabset = serial.tabset + 1
  local tabs, level = {}, nil
  for _, block in ipairs(div.content) do
    if block.t == "Header" and (level == nil or block.level == level) then
      level = block.level
      tabs[#tabs + 1] = { title = block.content, blocks = pandoc.Blocks {} }
    elseif #tabs > 0 then
      tabs[#tabs].blocks:insert(block)
    end
  end
  local result = pandoc.Blocks { html('<ul class="nav nav-tabs" role="tablist">') }
  for i, tab in ipairs(tabs) do
    local id = "tabset-" .. serial.tabset .. "-" .. i
    result:extend {
      html(string.format('<li class="nav-item" role="presentation"><a class="nav-link%s" id="%s-tab" ' ..
        'data-bs-toggle="tab" data-bs-target="#%s" role="tab" aria-controls="%s" ' ..
        'aria-selected="%s" href="">', i == 1 and " active" or "", id, id, id, tostring(i == 1))),
      pandoc.Plain(tab.title),
      html("</a></li>"),
    }
  end
  result:insert(html('</ul><div class="tab-content">'))
  for i, tab in ipairs(tabs) do
    local id = "tabset-" .. serial.tabset .. "-" .. i
    result:insert(html(string.format('<div id="%s" class="tab-pane%s" role="tabpanel" ' ..
      'aria-labelledby="%s-tab">', id, i == 1 and " active" or "", id)))
    result:extend(walk(tab.blocks))
    result:insert(html("</div>"))
  end
  result:insert(html("</div>"))
  return pandoc.Div(result, pandoc.Attr("", { "panel-tabset" })), false
end

local function fold(block)
  if #block.classes == 0 then return nil end
  local state, summary = block.attributes["code-fold"], block.attributes["code-summary"]
  block.attributes["code-fold"], block.attributes["code-summary"] = nil, nil
  block.classes:insert("code-with-copy")
  local result = pandoc.Blocks {
    html('<div class="code-copy-outer-scaffold">'),
    block,
    html('<button title="Copy to Clipboard" class="code-copy-button"><i class="bi"></i></button></div>'),
  }
  if state then
    local open = state == "show" and " open" or ""
    result:insert(1, html('<details class="code-fold"' .. open .. "><summary>"))
    result:insert(2, pandoc.Plain(inlines_of(summary or "Code")))
    result:insert(3, html("</summary>"))
    result:insert(html("</details>"))
  end
  return result
end

local function block_div(div)
  if div.classes:includes("quarto-float") then return div, false end  -- a panel, done already
  local kind = kind_of(div.identifier)
  if kind == "fig" or kind == "tbl" then return float_div(div) end
  kind = callout_kind(div)
  if kind then return callout(div, kind) end
  if div.classes:includes("panel-tabset") and not static then return tabset(div) end
  local columns = tonumber(div.attributes["layout-ncol"])
  if columns then return pandoc.Div(in_columns(walk(div.content), columns), div.attr), false end
  if div.classes:includes("cell-output-display") then
    return div:walk {
      Table = function(tbl)
        for _, class in ipairs { "table-sm", "table-striped", "small" } do tbl.classes:insert(class) end
        return tbl
      end,
    }
  end
  return nil
end

number_blocks = {
  traverse = "topdown",
  Div = block_div,
  Figure = figure,
  Table = table_block,
  Para = number_equations,
  Plain = number_equations,
  Header = number_section,
}

-- References --------------------------------------------------------------------------------------

local function reference(citation)
  local label = citation.id:sub(1, 1):lower() .. citation.id:sub(2)
  local number = numbers[label]
  if not number then
    pandoc.log.warn("unresolved reference @" .. citation.id)
    return pandoc.Strong { pandoc.Str("?@" .. citation.id) }
  end
  local text = pandoc.Inlines {}
  if #citation.prefix > 0 then
    text:extend(citation.prefix)
    text:insert(pandoc.Str("\u{a0}" .. number))
  elseif citation.mode == "SuppressAuthor" then
    text:insert(pandoc.Str(number))
  else
    text:insert(pandoc.Str(NAMES[kind_of(label)] .. "\u{a0}" .. number))
  end
  return pandoc.Link(text, "#" .. label, "", pandoc.Attr("", { "quarto-xref" }))
end

local function resolve(cite)
  local found, others = pandoc.Inlines {}, 0
  for _, citation in ipairs(cite.citations) do
    if kind_of(citation.id:lower()) then
      if #found > 0 then found:extend { pandoc.Str(","), pandoc.Space() } end
      found:insert(reference(citation))
    else
      others = others + 1
    end
  end
  if #found == 0 then return nil end
  if others > 0 then
    pandoc.log.warn("a cross-reference and a citation side by side (" ..
      pandoc.utils.stringify(cite) .. "): Quarto drops the citation; put words between them")
  end
  return found
end

-- Quarto puts references that the page gives no place for into an appendix.
local function place_references(doc)
  local cited, placed = false, false
  doc:walk {
    Cite = function() cited = true end,
    Div = function(div) placed = placed or div.identifier == "refs" end,
  }
  if cited and not placed then
    doc.blocks:extend {
      html('<section class="quarto-appendix-contents" role="doc-bibliography" ' ..
        'id="quarto-bibliography"><h2 class="anchored quarto-appendix-heading">References</h2>'),
      pandoc.Div({}, pandoc.Attr("refs", { "references" })),
      html("</section>"),
    }
  end
  return doc
end

function Pandoc(doc)
  static = doc.meta.static == true or doc.meta.static == "true"
  doc = doc:walk { RawBlock = read_tables }
  doc = doc:walk(number_blocks)
  doc = doc:walk { CodeBlock = fold, Cite = resolve }
  return place_references(doc)
end
