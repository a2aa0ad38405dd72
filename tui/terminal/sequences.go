package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"perfdeck/session/text/printable"
)

// Sequences by their names in xterm's "Control Sequences" (ctlseqs).
const (
	altScreenOn, altScreenOff = "\x1b[?1049h", "\x1b[?1049l"
	cursorOn, cursorOff       = "\x1b[?25h", "\x1b[?25l"
	wrapOn, wrapOff           = "\x1b[?7h", "\x1b[?7l" // DECAWM: the last column never scrolls
	mouseOn, mouseOff         = "\x1b[?1002h\x1b[?1006h", "\x1b[?1006l\x1b[?1002l"
	focusOn, focusOff         = "\x1b[?1004h", "\x1b[?1004l"
	pasteOn, pasteOff         = "\x1b[?2004h", "\x1b[?2004l"
	titlePush, titlePop       = "\x1b[22;2t", "\x1b[23;2t"
	syncEnd                   = "\x1b[?2026l"
	resetStyle                = "\x1b[m"
	keysEnd                   = "\x1b[>4m\x1b[<u" // modifyOtherKeys, kitty's keyboard
	askSync                   = "\x1b[?2026$p"    // DECRQM
	askBackground             = "\x1b]11;?\x1b\\" // OSC 11
)

// cancel (CAN) ends a sequence of which the rest was dropped.
const cancel = "\x18"

// AskDevice asks the terminal what it is (DA1). Every one answers, behind what it was asked
// before.
const AskDevice = "\x1b[c"

// begin asks behind the switch to the alternate screen: what a terminal that
// does not know a question prints goes with the first frame's clearing.
func (o Options) begin() string {
	var b strings.Builder
	b.WriteString(cancel + altScreenOn + cursorOff + wrapOff)
	writeIf(&b, o.Title != "", titlePush+TitleSequence(o.Title))
	writeIf(&b, o.Mouse, mouseOn)
	writeIf(&b, o.Focus, focusOn)
	writeIf(&b, o.Paste, pasteOn)
	writeIf(&b, o.Query, askSync+askBackground+AskDevice)
	return b.String()
}

func (o Options) end() string {
	var b strings.Builder
	b.WriteString(syncEnd + resetStyle)
	writeIf(&b, o.Paste, pasteOff)
	writeIf(&b, o.Focus, focusOff)
	writeIf(&b, o.Mouse, mouseOff)
	writeIf(&b, o.Title != "", titlePop)
	b.WriteString(wrapOn + cursorOn + altScreenOff)
	return b.String()
}

func writeIf(b *strings.Builder, isOn bool, s string) {
	if isOn {
		b.WriteString(s)
	}
}

// SetMouse asks for clicks, drags and the wheel, or leaves them to the terminal.
func (t *Terminal) SetMouse(on bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.options.Mouse = on
	if !t.isInside {
		return nil
	}
	sequence := mouseOff
	if on {
		sequence = mouseOn
	}
	_, err := t.out.WriteString(sequence)
	return err
}

// maxTitleRunes bounds a title: some terminals drop longer sequences.
const maxTitleRunes = 120

// Title is text as a window's title can have it: a name from elsewhere cannot end
// the sequence.
func Title(text string) string {
	runes := []rune(printable.Text(text))
	return string(runes[:min(len(runes), maxTitleRunes)])
}

// TitleSequence sets the window's title (OSC 2).
func TitleSequence(title string) string { return ansi.SetWindowTitle(Title(title)) }

// ClipboardSequence sets the clipboard (OSC 52). What is pasted into a shell may
// run: neither a line end nor what ends a paste comes through.
func ClipboardSequence(text string) string { return ansi.SetSystemClipboard(printable.Text(text)) }

// SetClipboard puts text on the clipboard, where the terminal allows it.
func (t *Terminal) SetClipboard(text string) error {
	_, err := t.Write([]byte(ClipboardSequence(text)))
	return err
}
