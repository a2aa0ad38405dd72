package canvas

// GlyphSet is what the terminal's font can show.
type GlyphSet uint8

// The glyph sets. Console is a text console: half and full blocks, no braille.
const (
	Full GlyphSet = iota
	Console
	ASCII
)

// Levels is the number of heights of a sparkline in a row: one less than the
// blocks allow, so that neighbouring rows never fuse.
const Levels = 7

// Glyphs are the signs of one set; those of state are never the only sign of
// colour's meaning, nor colour theirs.
type Glyphs struct {
	Spark                                          [Levels]rune
	Rule, FocusRule, Vertical                      rune
	TopLeft, TopRight, BottomLeft, BottomRight     rune
	Careful, Warning, Critical                     rune
	Stale, Recording, Selected, Descending, Middot rune
	Ascending, Mark                                rune
	Ellipsis                                       string
	GraphHalf, GraphFull                           rune // where there is no braille
	HasBraille                                     bool
}

var glyphTable = [...]Glyphs{
	Full: {
		Spark: [Levels]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇'},
		Rule:  '─', FocusRule: '━', Vertical: '│',
		TopLeft: '┌', TopRight: '┐', BottomLeft: '└', BottomRight: '┘',
		Careful: '○', Warning: '▲', Critical: '■',
		Stale: '~', Recording: '●', Selected: '►', Descending: '▼', Ascending: '▲', Middot: '·', Mark: '•',
		Ellipsis: "…", GraphHalf: '▄', GraphFull: '█', HasBraille: true,
	},
	Console: {
		Spark: [Levels]rune{'_', '_', '▄', '▄', '▄', '█', '█'},
		Rule:  '─', FocusRule: '═', Vertical: '│',
		TopLeft: '┌', TopRight: '┐', BottomLeft: '└', BottomRight: '┘',
		Careful: '○', Warning: '▲', Critical: '■',
		Stale: '~', Recording: '●', Selected: '►', Descending: '▼', Ascending: '▲', Middot: '·', Mark: '•',
		Ellipsis: "..", GraphHalf: '▄', GraphFull: '█',
	},
	ASCII: {
		Spark: [Levels]rune{'_', '.', '-', '~', '=', '+', '#'},
		Rule:  '-', FocusRule: '=', Vertical: '|',
		TopLeft: '+', TopRight: '+', BottomLeft: '+', BottomRight: '+',
		Careful: 'o', Warning: '!', Critical: 'X',
		Stale: '~', Recording: '*', Selected: '>', Descending: 'v', Ascending: '^', Middot: '.', Mark: '*',
		Ellipsis: "..", GraphHalf: '.', GraphFull: '#',
	},
}

// Word is a word for why there is no number, in the signs of the set.
func (g *Glyphs) Word(word string) string {
	if word == glyphTable[Full].Ellipsis {
		return g.Ellipsis
	}
	return word
}

// Glyphs returns the signs of the set.
func (set GlyphSet) Glyphs() *Glyphs {
	if int(set) >= len(glyphTable) {
		return &glyphTable[ASCII]
	}
	return &glyphTable[set]
}
