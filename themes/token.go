// Package themes turns palette tokens into terminal styles: a theme file gives
// every token a true colour, a 256-colour index and a 16-colour word, for dark
// and light backgrounds; a Sheet resolves them for one terminal.
package themes

// Style says how a cell looks, in tokens: foreground, background, bold,
// reverse, underline. It is a number, so cells compare quickly; the zero value
// is Text on Background.
type Style uint16

// Token is the style of one meaning of colour: it is the foreground, on the background, or
// an area where On takes it. The zero value is Text.
type Token = Style

// The tokens. Background and the three after it are the areas text stands on;
// S1 to S8 are chart series only, A1 to A3 and B1 to B3 the ends and the middle of
// the ramps of graphs and meters.
const (
	Text Token = iota
	Strong
	Muted
	Rule
	Accent
	Focus
	Spark
	OK
	Careful
	Warning
	Critical
	Stale
	S1
	S2
	S3
	S4
	S5
	S6
	S7
	S8
	A1
	A2
	A3
	B1
	B2
	B3
	Background
	Surface
	Header
	Selection
	tokenCount
)

var tokenNames = [tokenCount]string{
	Text: "text", Strong: "strong", Muted: "muted", Rule: "rule",
	Accent: "accent", Focus: "focus", Spark: "spark", OK: "ok",
	Careful: "careful", Warning: "warning", Critical: "critical", Stale: "stale",
	S1: "s1", S2: "s2", S3: "s3", S4: "s4", S5: "s5", S6: "s6", S7: "s7", S8: "s8",
	A1: "a1", A2: "a2", A3: "a3", B1: "b1", B2: "b2", B3: "b3",
	Background: "background", Surface: "surface", Header: "header", Selection: "selection",
}

// String returns the name that theme files use.
func (t Token) String() string {
	if t >= tokenCount {
		return "token?"
	}
	return tokenNames[t]
}

// Series returns the chart token of the series n (0-based); beyond eight the
// colours repeat.
func Series(n int) Token { return S1 + Token(uint(n)%8) }

// The bits of a style.
const (
	tokenMask = 1<<6 - 1 // the foreground token or the step of a ramp
	bgShift   = 6        // the background token, exclusive-or Background

	boldBit      Style = 1 << 12
	reverseBit   Style = 1 << 13
	underlineBit Style = 1 << 14
)

// On returns the style on another background.
func (s Style) On(bg Token) Style {
	return s&^(tokenMask<<bgShift) | (bg^Background)&tokenMask<<bgShift
}

// Over returns the style on the background of another one, unless it has one of its own.
func (s Style) Over(ground Style) Style {
	if s&(tokenMask<<bgShift) == 0 {
		return s | ground&(tokenMask<<bgShift)
	}
	return s
}

// In returns the style with another foreground, keeping everything else.
func (s Style) In(fg Token) Style { return s&^tokenMask | fg&tokenMask }

// Bold returns the style in bold.
func (s Style) Bold() Style { return s | boldBit }

// Reverse returns the style with foreground and background exchanged.
func (s Style) Reverse() Style { return s | reverseBit }

// Underline returns the style underlined.
func (s Style) Underline() Style { return s | underlineBit }

// Foreground returns the token of the text.
func (s Style) Foreground() Token { return s & tokenMask }

// Background returns the token of the area.
func (s Style) Background() Token { return s>>bgShift&tokenMask ^ Background }

// tokens are both, those that there are.
func (s Style) tokens() (fg, bg Token) {
	if fg = s.Foreground(); fg >= shadeCount {
		fg = Text
	}
	if bg = s.Background(); bg >= tokenCount {
		bg = Background
	}
	return fg, bg
}
