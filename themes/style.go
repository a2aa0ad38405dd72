package themes

// Style says how a cell looks, in tokens: foreground, background, bold,
// reverse, underline. It is a number, so cells compare quickly; the zero value
// is Text on Background.
type Style uint16

const (
	tokenMask = 1<<6 - 1 // the foreground token or the step of a ramp
	bgShift   = 6        // the background token, exclusive-or Background

	boldBit      Style = 1 << 12
	reverseBit   Style = 1 << 13
	underlineBit Style = 1 << 14
)

// On returns the style on another background.
func (s Style) On(bg Token) Style {
	return s&^(tokenMask<<bgShift) | Style((bg^Background)&tokenMask)<<bgShift
}

// In returns the style with another foreground, keeping everything else.
func (s Style) In(fg Token) Style { return s&^tokenMask | Style(fg&tokenMask) }

// Bold returns the style in bold.
func (s Style) Bold() Style { return s | boldBit }

// Reverse returns the style with foreground and background exchanged.
func (s Style) Reverse() Style { return s | reverseBit }

// Underline returns the style underlined.
func (s Style) Underline() Style { return s | underlineBit }

// Foreground returns the token of the text.
func (s Style) Foreground() Token { return Token(s & tokenMask) }

// Background returns the token of the area.
func (s Style) Background() Token { return Token(s>>bgShift&tokenMask) ^ Background }
