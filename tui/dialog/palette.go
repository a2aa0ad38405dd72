package dialog

import (
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"perfdeck/session/text/english"
	"perfdeck/themes"
	"perfdeck/tui/canvas"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

// Palette finds screens, hosts, countersets, counters, decks and actions by
// words of their names, and does what they are for.
type Palette struct {
	searched

	out    *pane.Outbox
	finder *Finder
	keys   *keys.Map
	stale  bool     // there is more to find since the last search
	said   string   // why what was chosen cannot be done
	other  *choices // what else can be done with the selected; nil: not shown
}

// Size is the size it would like to have.
func (p *Palette) Size() (w, h int) { return 62, 16 }

// Title is the dialog's name.
func (p *Palette) Title() string { return "Go to or do" }

// DrawsToFrame tells that its rules reach the frame.
func (p *Palette) DrawsToFrame() {}

// Key types, moves, chooses. In the list of other actions esc leads back.
func (p *Palette) Key(k tea.KeyPressMsg) {
	name := k.String()
	if p.other != nil {
		if name == "esc" || name == "tab" {
			p.other = nil
			return
		}
		p.other.key(k)
		return
	}
	p.said = ""
	switch name {
	case "esc":
		p.out.Close(nil)
	case "enter":
		p.choose()
	case "tab":
		p.offerOther()
	default:
		p.typed(k)
	}
}

// Renew tells that there is more to find. What was found keeps its place until
// something is typed.
func (p *Palette) Renew() {
	p.stale = true
	if p.other == nil && len(p.finder.result.Hits) == 0 {
		p.search()
	}
}

func (p *Palette) search() {
	if p.stale {
		p.stale = false
		p.finder.refresh()
	}
	p.finder.search(p.field.String())
	p.found(len(p.finder.result.Hits))
}

func (p *Palette) current() (e Entry, ok bool) {
	if !p.Has() {
		return Entry{}, false
	}
	_, e = p.finder.entry(p.Line())
	return e, true
}

func (p *Palette) choose() {
	e, ok := p.current()
	if !ok {
		p.await()
		return
	}
	if e.Why != "" {
		p.said = e.Text + ": " + e.Why
		return
	}
	p.out.Close(e.Do)
}

// await chooses what is found when the names are there that are to come.
func (p *Palette) await() {
	if p.finder.Coming == nil {
		return
	}
	what, wait := p.finder.Coming()
	if wait == nil {
		return
	}
	p.out.Wait(what, func() func(bool) {
		wait()
		return func(awaited bool) {
			if p.Renew(); awaited {
				p.choose()
			}
		}
	})
}

// offerOther lists what else can be done with the selected.
func (p *Palette) offerOther() {
	e, ok := p.current()
	if !ok || e.Other == nil {
		p.said = "nothing else can be done with it"
		return
	}
	items := append([]pane.MenuItem{{Text: e.Does, Key: e.Key, Why: e.Why, Do: e.Do}}, e.Other()...)
	p.other = newChoices(p.out, items, p.keys)
}

// Paste types what was pasted.
func (p *Palette) Paste(text string) {
	if p.other != nil {
		p.other.Paste(text)
		return
	}
	p.said = ""
	p.searched.Paste(text)
}

// Click selects a row, and chooses the one that is selected.
func (p *Palette) Click(hit pane.Hit, button tea.MouseButton) {
	if p.other != nil {
		p.other.Click(hit, button)
		return
	}
	if hit.Kind != pane.HitRow {
		return
	}
	p.said = ""
	switch opens := p.Opens(hit, button); {
	case button == tea.MouseRight:
		p.offerOther()
	case opens:
		p.choose()
	}
}

// Position tells which of what was found is in view.
func (p *Palette) Position() string {
	if p.other != nil {
		return p.other.Position()
	}
	return p.searched.Position()
}

// Wheel scrolls.
func (p *Palette) Wheel(lines int) {
	if p.other != nil {
		p.other.Wheel(lines)
		return
	}
	p.Scroll(lines)
}

// Draw draws the search line, what was found, and what can be done.
func (p *Palette) Draw(f pane.Frame) {
	const around = 5 // search line, two rules, two lines of hints
	w, rule := f.Width(), themes.Rule
	p.drawField(f)
	page := max(0, f.Height()-around)
	f.Repeat(0, 1, w, f.Glyphs().Rule, rule)
	f.Repeat(0, 2+page, w, f.Glyphs().Rule, rule)
	if p.other != nil {
		p.other.draw(f.Sub(1, 2, w-2, page))
	} else {
		p.drawFound(f.Lines(2, page))
	}
	p.drawFoot(f.Sub(2, f.Height()-2, w-4, 2))
}

// drawField draws what is typed, and how much was found of how much.
func (p *Palette) drawField(f pane.Frame) {
	r := &p.finder.result
	count := ""
	if !p.finder.listed {
		count = grouped(r.Found) + " of " + grouped(r.Total)
	}
	if utf8.RuneCountInString(count)+16 > f.Width() {
		count = ""
	}
	f.Put(1, 0, ':', themes.Accent.Bold())
	room := f.Width() - 4 - utf8.RuneCountInString(count)
	p.field.Draw(f.Region, 3, 0, room, themes.Strong.Bold())
	f.Right(3, 0, f.Width()-4, count, themes.Muted)
}

func grouped(n int) string { return english.GroupDigits(strconv.Itoa(n), ",") }

func (p *Palette) drawFound(f pane.Frame) {
	n := len(p.finder.result.Hits)
	p.DrawEach(f, n, p.drawRow)
	if n == 0 {
		text := "nothing has these words in its name"
		if would := p.finder.find.Answers(); len(would) > 0 {
			text = "no host here has " + would[0].String() + ", which would tell that"
		}
		for y, line := range canvas.Fold(text, f.Width()-3) {
			f.Left(2, y, f.Width()-3, line, themes.Muted)
		}
	}
}

// narrowPalette is the width under which the names of things need the room of
// their kinds.
const narrowPalette = 50

// drawRow draws one thing: its kind, its name with the letters that were found,
// where it is, and the key that does the same. The name leaves what stands behind
// it a half, so that things of one name can be told apart.
func (p *Palette) drawRow(f pane.Frame, row int) {
	const kindX, kindW, least = 2, 9, 12
	kind, e := p.finder.entry(row)
	textX, keyW := kindX, 0
	if f.Width() >= narrowPalette {
		f.Left(kindX, 0, kindW-1, kindWords[kind], themes.Muted)
		textX, keyW = textX+kindW, 1
	}
	shown := p.keys.Words(e.Key)
	keyW = min(max(keyW, utf8.RuneCountInString(shown)), max(1, f.Width()-textX-least))
	f.Right(f.Width()-1-keyW, 0, keyW, shown, themes.Accent)

	end := f.Width() - 2 - keyW
	text := themes.Text
	if p.Is(row) {
		text = text.Bold()
	}
	host, detail := e.Host, e.Detail
	if e.Why != "" {
		text, host, detail = themes.Muted, "", e.Why
	}
	room := end - textX
	behind := min(room/2, canvas.Full.TextWidth(strings.TrimSpace(host+" "+detail))+1)
	name := f.CutMiddle(max(0, room-behind), e.Text)
	x := textX + f.Marked(textX, 0, name, p.finder.find.NameMarks(name), text)
	p.drawWhere(f, x+1, end-x-1, host, detail, themes.Muted)
}

// drawWhere draws the host and what else is told of a thing. What gives way is
// the middle of both, but not of the host.
func (p *Palette) drawWhere(f pane.Frame, x, room int, host, detail string, st themes.Style) {
	const least = 6
	both := strings.TrimSpace(host + " " + detail)
	cut := f.CutMiddle(max(0, room), both)
	if w := canvas.Full.TextWidth(host) + 1; host != "" && room >= w+least && !strings.HasPrefix(cut, host+" ") {
		cut = host + " " + f.CutMiddle(room-w, detail)
	}
	if room >= least {
		f.Marked(x, 0, cut, p.finder.find.TextMarks(cut), st)
	}
}

// drawFoot draws what the keys do, and how a search is narrowed.
func (p *Palette) drawFoot(f pane.Frame) {
	if p.other != nil {
		hints(f, 0, "enter", "do it", "esc", "back to what was found")
		return
	}
	pairs := []string{"esc", "close"}
	if e, ok := p.current(); ok {
		if e.Other != nil {
			pairs = append([]string{"tab", "other actions"}, pairs...)
		}
		if e.Why == "" {
			pairs = append([]string{"enter", e.Does}, pairs...)
		}
	}
	hints(f, 0, pairs...)
	if p.said != "" {
		f.Rest(0, 1, p.said, themes.Careful)
		return
	}
	f.Rest(0, 1, "host:  counter:  deck:  action:  narrow the search", themes.Muted)
}
