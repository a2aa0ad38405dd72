package tui

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"perfdeck/session/alert"
	"perfdeck/session/fake"
	"perfdeck/themes"
)

// The moving picture of the README: so many seconds of the demo, one frame each.
const (
	movingSeconds = 10
	movingMost    = 300 << 10 // bytes
	cellW, cellH  = 8, 17     // of a monospaced face of 13 pixels
)

// The moving picture is what the canvas draws: `go test ./tui -run Golden -update`
// accepts a change.
func TestGoldenMovingPicture(t *testing.T) {
	busy, err := alert.ParseRule(`\Processor Information(_Total)\% Processor Time>80`)
	if err != nil {
		t.Fatal(err)
	}
	busy.Name = "processor busy"
	var frames []string
	first := func(c *fake.Clock) []fake.Host { return fake.Demo(c)[:1] }
	onScreens(t, rigOptions{w: 120, h: 36, hosts: first, alerts: []alert.Rule{busy}}, func(r *rig) {
		r.clock.Advance(0)
		r.send(catalogueReady{r.root.watched[0]})
		r.begin(125)
		sheet := r.root.options.Theme.Sheet(themes.TrueColour, true)
		for range movingSeconds {
			r.pass(time.Second)
			frames = append(frames, r.root.canvas.Styled(sheet))
		}
	})
	got := movingPicture(frames, 120, 36)
	if len(got) > movingMost {
		t.Errorf("it has %d bytes", len(got))
	}
	name := filepath.Join("pictures", "demo.svg")
	if *update {
		if err := os.MkdirAll("pictures", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(name); err != nil || !bytes.Equal(want, got) {
		t.Errorf("%s is not what is drawn (-update accepts it): %v", name, err)
	}
}

// movingPicture is an animated SVG of frames of styled text. A row stands once for each
// time that it changes, and is seen for so long.
func movingPicture(frames []string, w, h int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="13">`+"\n", w*cellW, h*cellH)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#0f1419"/>`+"\n", w*cellW, h*cellH)
	pens, seen := svgPens{}, map[[2]int]bool{}
	rows := make([][]string, len(frames))
	for i, f := range frames {
		rows[i] = strings.Split(f, "\n")
	}
	for y := range h {
		for from := 0; from < len(frames); {
			to := from + 1
			for to < len(frames) && rows[to][y] == rows[from][y] {
				to++
			}
			if to-from == len(frames) {
				fmt.Fprintf(&b, `<g transform="translate(0 %d)">`, y*cellH+13)
			} else {
				if fmt.Fprintf(&b, `<g transform="translate(0 %d)" class="s%d-%d"`, y*cellH+13, from, to); from > 0 { // who animates nothing shows the first frame
					b.WriteString(` visibility="hidden"`)
				}
				b.WriteString(">")
				seen[[2]int{from, to}] = true
			}
			pens.drawRow(&b, rows[from][y])
			b.WriteString("</g>\n")
			from = to
		}
	}
	b.WriteString("<style>text{white-space:pre}" + strings.Join(pens.rules, ""))
	for from := range frames {
		for to := from + 1; to <= len(frames); to++ {
			if seen[[2]int{from, to}] {
				b.WriteString(showing(from, to, len(frames)))
			}
		}
	}
	b.WriteString("</style>\n</svg>\n")
	return b.Bytes()
}

// showing is the rule of what is seen in frames from one to before another of n.
func showing(from, to, n int) string {
	percent := func(k int) int { return 100 * k / n }
	steps := fmt.Sprintf("%d%%{visibility:visible}", percent(from))
	if from > 0 {
		steps = "0%{visibility:hidden}" + steps
	}
	if to < n {
		steps += fmt.Sprintf("%d%%{visibility:hidden}", percent(to))
	}
	last := "hidden"
	if to == n {
		last = "visible"
	}
	return fmt.Sprintf(".s%d-%d{animation:s%d-%d %ds step-end infinite}@keyframes s%d-%d{%s100%%{visibility:%s}}", from, to, from, to, n, from, to, steps, last)
}

// svgPen is what SGR sequences have set: colours as RRGGBB, "" for the terminal's own.
type svgPen struct {
	fore, back    string
	bold, reverse bool
}

// svgPens are the rules of the pens of texts, each a class that is named by its place:
// a picture has many texts of few pens.
type svgPens struct{ rules []string }

// class is the class of texts of a colour and a weight.
func (p *svgPens) class(fore string, bold bool) string {
	rule := "{fill:#" + fore + "}"
	if bold {
		rule = "{fill:#" + fore + ";font-weight:700}"
	}
	for i, r := range p.rules {
		if strings.HasSuffix(r, rule) && r == "."+penName(i)+rule {
			return penName(i)
		}
	}
	name := penName(len(p.rules))
	p.rules = append(p.rules, "."+name+rule)
	return name
}

func penName(i int) string { return string(rune('a'+i%26)) + strings.Repeat("z", i/26) }

// drawRow draws one row of styled text as runs of one pen, from its base line.
func (p *svgPens) drawRow(b *bytes.Buffer, row string) {
	var pen svgPen
	var ground svgGround
	var texts bytes.Buffer
	x := 0
	for row != "" {
		if rest, ok := strings.CutPrefix(row, "\x1b["); ok {
			params, after, _ := strings.Cut(rest, "m")
			pen.set(params)
			row = after
			continue
		}
		run, after := row, ""
		if i := strings.IndexByte(row, 0x1b); i >= 0 {
			run, after = row[:i], row[i:]
		}
		n := utf8.RuneCountInString(run)
		fore, back := cmp.Or(pen.fore, "d6dde4"), pen.back
		if pen.reverse {
			fore, back = back, fore
		}
		if back == "0f1419" {
			back = ""
		}
		if back != ground.colour {
			ground.draw(b, x)
			ground = svgGround{back, x}
		}
		if text := strings.TrimRight(run, " "); text != "" {
			trimmed := strings.TrimLeft(text, " ")
			lead := len(text) - len(trimmed)
			k := utf8.RuneCountInString(trimmed)
			length := ""
			if k > 1 {
				length = fmt.Sprintf(` textLength="%d"`, k*cellW)
			}
			fmt.Fprintf(&texts, `<text x="%d"%s class="%s">%s</text>`, (x+lead)*cellW, length, p.class(fore, pen.bold), html.EscapeString(trimmed))
		}
		x, row = x+n, after
	}
	ground.draw(b, x)
	b.Write(texts.Bytes())
}

// svgGround is what lies below texts, from a cell on; without a colour nothing.
type svgGround struct {
	colour string
	from   int
}

func (g svgGround) draw(b *bytes.Buffer, to int) {
	if g.colour != "" {
		fmt.Fprintf(b, `<path fill="#%s" d="M%d-13h%dv%dh-%dz"/>`, g.colour, g.from*cellW, (to-g.from)*cellW, cellH, (to-g.from)*cellW)
	}
}

// set takes over the parameters of a sequence.
func (p *svgPen) set(params string) {
	if params == "" {
		params = "0"
	}
	n := strings.Split(params, ";")
	for i := 0; i < len(n); i++ {
		switch n[i] {
		case "0", "":
			*p = svgPen{}
		case "1":
			p.bold = true
		case "22":
			p.bold = false
		case "7":
			p.reverse = true
		case "27":
			p.reverse = false
		case "39":
			p.fore = ""
		case "49":
			p.back = ""
		case "38", "48":
			if i+4 < len(n) {
				var hex strings.Builder
				for _, part := range n[i+2 : i+5] {
					v, _ := strconv.Atoi(part)
					fmt.Fprintf(&hex, "%02x", v)
				}
				if n[i] == "38" {
					p.fore = hex.String()
				} else {
					p.back = hex.String()
				}
				i += 4
			}
		}
	}
}
