package replay

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/english"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
)

var nan = float32(math.NaN())

// Bindings are the keys of a replay for who has none: what they are called.
func Bindings() []keys.Binding { return new(Bar).bindings() }

// bindings are the keys of time as a replay means them.
func (b *Bar) bindings() []keys.Binding {
	shift := func(by time.Duration) func() {
		return func() { b.seek(b.player.Position().Add(by)) }
	}
	step := func(n int) func() { return func() { b.player.Step(n); b.toPosition() } }
	gap := func(back bool) func() { return func() { b.nextGap(back) } }
	return []keys.Binding{
		{Keys: "p", Text: "play, pause", Hint: "play", Do: b.play},
		{Keys: "i", Text: "speed, 1 to 1000 times", Hint: "speed", Do: b.askSpeed},
		{Keys: "[", Show: "[ ]", Text: "1 min back, on", Hint: "1 min", Why: b.whyFirst, Do: shift(-time.Minute)},
		{Keys: "]", Show: "[ ]", Text: "1 min back, on", Why: b.whyLast, Do: shift(time.Minute)},
		{Keys: "{", Show: "{ }", Text: "5 min back, on", Hint: "5 min", Why: b.whyFirst, Do: shift(-5 * time.Minute)},
		{Keys: "}", Show: "{ }", Text: "5 min back, on", Why: b.whyLast, Do: shift(5 * time.Minute)},
		{Keys: ",", Show: ", ;", Text: "a sample back, on", Section: keys.Time, Why: b.whyFirst, Do: step(-1)},
		{Keys: ";", Show: ", ;", Text: "a sample back, on", Section: keys.Time, Do: step(1)},
		{Keys: "@", Text: "go to a time", Hint: "go to", Do: b.askTime},
		{Keys: "!", Text: "next alert", Hint: "next alert", Section: keys.Time, Why: b.whyNoMark, Do: b.nextMark},
		{Keys: "~", Text: "next gap", Section: keys.Time, Do: gap(false)},
		{Keys: "`", Text: "gap before", Section: keys.Time, Do: gap(true)},
		{Keys: "0", Text: "the start", Section: keys.Time, Why: b.whyFirst, Do: func() { b.seek(b.first()) }},
		{Keys: ".", Text: "from the chart's cursor back to now; the end", Hint: "end", Do: b.end},
		{Keys: "b", Text: "bookmark here, or take it away", Hint: "bookmark", Do: b.bookmark},
	}
}

func (b *Bar) play() {
	if b.whyLast() != "" && !b.player.Playing() {
		b.player.Seek(b.first()) // there is no more of it: anew
	}
	b.player.Play(!b.player.Playing())
	b.toPosition()
}

// toPosition lets the screens show the position again.
func (b *Bar) toPosition() {
	if b.desk.Past() {
		b.desk.MoveTo(time.Time{})
	}
}

// first is the first sample.
func (b *Bar) first() time.Time {
	first, _ := b.player.Bounds()
	return first
}

func (b *Bar) whyFirst() string {
	return keys.When(!b.player.Position().After(b.first()), "this is the first sample")
}

func (b *Bar) whyLast() string {
	_, last := b.player.Bounds()
	return keys.When(!b.player.Position().Before(last), "this is the last sample")
}

// askSpeed asks how fast it is played.
func (b *Bar) askSpeed() {
	b.desk.Send(pane.AskText{
		Title: "Speed", Text: strconv.Itoa(b.player.Speed()), Help: "how many times as fast as it was recorded: 1 to 1000",
		Done: func(text string) error {
			n, err := ParseSpeed(text)
			if err == nil {
				b.player.SetSpeed(n)
			}
			return err
		},
	})
}

// ParseSpeed reads a speed: "10", "x10" or "10x".
func ParseSpeed(text string) (int, error) {
	n, err := strconv.Atoi(strings.Trim(strings.TrimSpace(text), "xX"))
	if err != nil || n < 1 || n > MaxSpeed {
		return 0, fmt.Errorf("speed %q: not a number from 1 to %d", text, MaxSpeed)
	}
	return n, nil
}

// askTime asks for a moment.
func (b *Bar) askTime() {
	beyond := ""
	b.desk.Send(pane.AskText{
		Title: "Go to", Help: "a time as 03:12, with a day as 2026-03-02 03:12, from here as -20m or +1h",
		Done: func(text string) error {
			first, last := b.player.Bounds()
			at, err := session.MomentIn(text, first, last, b.player.Position())
			if err != nil {
				return err
			}
			b.player.Seek(at)
			if beyond = b.beyond(at); beyond == "" {
				beyond = session.AgainWords(at, last)
			}
			return nil
		},
		Then: func() {
			if b.toPosition(); beyond != "" {
				b.desk.Say(beyond)
			}
		},
	})
}

// beyond says why a moment was not gone to: it is outside the recording.
func (b *Bar) beyond(at time.Time) string {
	switch first, last := b.player.Bounds(); {
	case at.Before(first):
		return "the recording begins at " + b.clock(first)
	case at.After(last):
		return "the recording ends at " + b.clock(last)
	}
	return ""
}

func (b *Bar) whyNoMark() string {
	return keys.When(len(b.player.Marks()) == 0, "nothing fired in this recording")
}

// nextMark goes to the next alert; where there are only bookmarks, to the next of
// them. Behind the last comes the first.
func (b *Bar) nextMark() {
	marks := b.player.Marks()
	if slices.ContainsFunc(marks, func(m Mark) bool { return m.isAlert() }) {
		marks = slices.DeleteFunc(marks, func(m Mark) bool { return !m.isAlert() })
	}
	if len(marks) == 0 {
		return
	}
	from := b.player.Position()
	i := max(slices.IndexFunc(marks, func(m Mark) bool { return m.At.After(from) }), 0)
	text := marks[i].Text
	if text == "" {
		text = "bookmark"
	}
	if !marks[i].At.After(from) {
		text = "from the beginning: " + text
	}
	b.seek(marks[i].At)
	b.desk.Say(text)
}

// nextGap goes behind the next gap, or the one before.
func (b *Bar) nextGap(back bool) {
	gaps, seen := b.player.Gaps()
	from := b.player.Position()
	i := slices.IndexFunc(gaps, func(g Gap) bool { return g.To.After(from) })
	if back {
		i = len(gaps) - 1
		for i >= 0 && !gaps[i].To.Before(from) {
			i--
		}
	}
	if i < 0 {
		text := "no gap from here on"
		if back {
			text = "no gap before"
		}
		if seen < 1 {
			text += fmt.Sprintf(", as far as the recording was read: %d%%", int(seen*100))
		}
		b.desk.Say(text)
		return
	}
	g := gaps[i]
	say := fmt.Sprintf("behind a gap of %s, from %s", english.Span(g.To.Sub(g.From)), b.clock(g.From))
	b.seek(g.To)
	b.desk.Say(say)
}

// end goes to the last sample, from an earlier moment that is shown to the
// position first.
func (b *Bar) end() {
	if b.desk.Past() {
		b.toPosition()
		return
	}
	b.player.End()
}

// endHint is what the hint at the key to the end says, "" where it leads nowhere.
func (b *Bar) endHint() string {
	switch {
	case b.desk.Past():
		return "back"
	case b.whyLast() != "":
		return ""
	}
	return "end"
}

// bookmark puts a bookmark at what is shown, or takes it away.
func (b *Bar) bookmark() {
	at := b.desk.LookedAt()
	was := b.player.SetBookmark(at, false)
	text := "bookmark taken away"
	if !was {
		b.player.SetBookmark(at, true)
		text = "bookmark at " + b.clock(at)
	}
	b.desk.Did(text, func() {
		b.player.SetBookmark(at, was)
	})
}
