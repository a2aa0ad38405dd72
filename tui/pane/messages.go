package pane

import (
	"time"

	"perfdeck/session"
	"perfdeck/session/text/field"
)

// The intents of panes and dialogs: about the frame.
type (
	// Say shows a line in place of the hints for a short while.
	Say struct {
		wish
		Text string
	}
	// Did says what was changed and keeps how it is undone, for `u`.
	Did struct {
		wish
		Text string
		Undo func()
		// Lapsed tells that there is nothing left to undo, as of what was done in a
		// mode that was left. Nil: there always is.
		Lapsed func() bool
	}
	// Reask makes the root ask the samplers anew for what the screens show.
	Reask struct{ wish }
	// Copy puts text on the clipboard (OSC 52): one line, without what steers a
	// terminal, wherever the text is from.
	Copy struct {
		wish
		Text string
	}
	// CopyPaths puts paths on the clipboard, several as arguments of a command. What
	// cannot be printed is `*` there, so that they still mean what they did.
	CopyPaths struct {
		wish
		Paths []string
	}
	// Keep makes the root write what the screens changed to the state file.
	Keep struct{ wish }
	// Wait is work that may take its time: Work is done beside the screens, and what
	// it returns, nil or not, among them after that. With What, which says to the
	// user what is awaited, what is typed meanwhile is kept until then. Without, and
	// when the user does not wait for it, which awaited tells, the screens may show
	// anything by then: it must not open a dialog, and has to look whether what it is
	// about is still there.
	Wait struct {
		wish
		What string
		Work func() (done func(awaited bool))
	}
)

// The intents that open something.
type (
	// Open shows a dialog above the screen.
	Open struct {
		wish
		Dialog Dialog
	}
	// Close closes the topmost dialog and then, when it is gone, does something, if
	// there is something to do.
	Close struct {
		wish
		Then func()
	}
	// Back leaves a screen that was opened from another.
	Back struct{ wish }
	// GoTo shows the screen of a tab.
	GoTo struct {
		wish
		Tab Tab
	}
	// AskCounter opens the dialog that adds a counter of a host.
	AskCounter struct {
		wish
		Host *Host
	}
	// AskText opens a dialog with one line of text. Each is called with every
	// change; Done with the text when it is accepted. Both may be nil.
	AskText struct {
		wish
		Title, Text, Help string
		Each, Done        func(string) error
		// Then, if set, is what follows after Done took the text.
		Then func()
	}
	// Confirm asks before something that cannot be undone. Enter is the safe
	// answer; Do is done when Yes is chosen.
	Confirm struct {
		wish
		Title, Text, Yes string
		Do               func()
		Other            Other
	}
	// OpenMenu shows a list to choose from.
	OpenMenu struct {
		wish
		Title string
		Items []MenuItem
	}
	// OpenTop opens the table of a counterset, on an instance if Key is set.
	OpenTop struct {
		wish
		Host *Host
		Set  *session.Counterset
		Key  session.InstanceKey
		Sort int // index in Set.Counters, -1: the set's default
	}
	// OpenHost shows the deck of one host.
	OpenHost struct {
		wish
		Host *Host
	}
	// OpenDetails shows all that is known of the instance of a value.
	OpenDetails struct {
		wish
		Target Target
	}
	// OpenExplain explains one value.
	OpenExplain struct {
		wish
		Target Target
	}
	// OpenChart shows the chart. Targets are added to it, or replace what it
	// showed.
	OpenChart struct {
		wish
		Targets []Target
		Replace bool
		Lanes   bool // in this view
	}
	// OpenHosts shows the decks of several hosts side by side.
	OpenHosts struct {
		wish
		Hosts []*Host
	}
	// OpenDeck shows the deck of a name.
	OpenDeck struct {
		wish
		Name string
	}
	// OpenBrowser shows the browser at a counter.
	OpenBrowser struct {
		wish
		Target Target
	}
	// Play shows a recording in place of the screens, which come back when the user
	// leaves it.
	Play struct {
		wish
		File string
	}
)

// Other is what a question offers besides its answers, by a key. The zero Other is
// nothing.
type Other struct {
	Key, Text string
	Do        func()
}

// AskForm opens a dialog with several fields. Each is called with every change and
// returns lines that tell what it would mean; Done with the values when they are
// accepted. Both may be nil.
type AskForm struct {
	wish
	Title  string
	Fields []field.Line
	Each   func(field.Answers) []string
	Done   func(field.Answers) error
	Then   func() // what follows after Done took the values; may be nil
}

// The intents that change something.
type (
	// MoveTo shows another moment on all screens; the zero time is now.
	MoveTo struct {
		wish
		At time.Time
	}
	// ShowTime shows a stretch of time on charts.
	ShowTime struct {
		wish
		From, To time.Time
	}
	// SelectSpan selects a span, or with the zero Span none.
	SelectSpan struct {
		wish
		Span Span
	}
	// AddPaths puts counters on the deck that is shown.
	AddPaths struct {
		wish
		Host  *Host // nil: of every host that has them
		Paths []string
	}
	// AddHosts adds hosts by what the user typed: names, one or several. Without
	// an account they are logged on to as is usual for them.
	AddHosts struct {
		wish
		Names    string
		Account  string // as DOMAIN\name; empty: the usual one
		Password []byte // empty: the one that is known
	}
	// AskAccount asks by which account a host is logged on to.
	AskAccount struct {
		wish
		Host *Host
	}
	// RemoveHost stops watching a host. It can be undone.
	RemoveHost struct {
		wish
		Host *Host
	}
	// RetryHost tries a host that does not answer now.
	RetryHost struct {
		wish
		Host *Host
	}
	// SetTheme changes the theme by name. Preview does not keep it.
	SetTheme struct {
		wish
		Name    string
		Preview bool
	}
)

// MenuItem is one line of a menu.
type MenuItem struct {
	Text string
	Also string // what it is called elsewhere, muted behind the text; it is found by that, too
	Key  string // the key that does the same without the menu; may be empty
	Why  string // why it cannot be chosen now; empty: it can
	Do   func()
}

// Tab names the screens that have a key, in the order of their keys.
type Tab int

// The tabs.
const (
	TabDeck Tab = iota
	TabFleet
	TabTop
	TabBrowser
	TabChart
	TabAlerts
	TabHosts
	TabLog
	TabRecords
)

// Outbox is where screens and dialogs put what they want of the root. What a key
// or a click puts there is done, in order, before the next one is looked at.
type Outbox struct{ list []Intent }

// wish makes a type an intent.
type wish struct{}

func (wish) intent() {}

// Intent is something that screens and dialogs want of the root: one of the types
// of messages.go.
type Intent interface{ intent() }

// Send puts an intent behind those that are there.
func (o *Outbox) Send(i Intent) { o.list = append(o.list, i) }

// Say tells something on the line of hints.
func (o *Outbox) Say(text string) { o.Send(Say{Text: text}) }

// Did tells what was done, and how that is undone.
func (o *Outbox) Did(text string, undo func()) { o.Send(Did{Text: text, Undo: undo}) }

// Close closes the dialog, then does something; nil: nothing.
func (o *Outbox) Close(then func()) { o.Send(Close{Then: then}) }

// Wait has something done that may take its time, as a Wait is.
func (o *Outbox) Wait(what string, work func() (done func(awaited bool))) {
	o.Send(Wait{What: what, Work: work})
}

// MoveTo shows another moment; the zero time is now.
func (o *Outbox) MoveTo(at time.Time) { o.Send(MoveTo{At: at}) }

// Reask has the hosts asked for what the screens want now.
func (o *Outbox) Reask() { o.Send(Reask{}) }

// Back goes back.
func (o *Outbox) Back() { o.Send(Back{}) }

// Drain lets do have every intent. What an intent causes is done before what was
// put behind it: who sends two of them may rely on the first being done when the
// second is.
func (o *Outbox) Drain(do func(Intent)) {
	for len(o.list) > 0 {
		list := o.list
		o.list = nil
		for _, i := range list {
			do(i)
			o.Drain(do)
		}
	}
}
