package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/app/notes"
	"perfdeck/session/files/note"
	"perfdeck/session/files/note/notebook"
	"perfdeck/session/system/tty"
	"perfdeck/session/text/field"
	"perfdeck/session/text/printable"
)

// noteFlags are the flags of note.
type noteFlags struct {
	At         string `flag:"at" help:"when it was: 03:12, 2026-03-02 03:12, or -20m (default: now)"`
	List       bool   `flag:"list" help:"list notes"`
	JSON       bool   `flag:"json" help:"print JSON with --list"`
	begin, end string
}

func (p *program) noteCommand() *cobra.Command {
	var f noteFlags
	c := flagged(&cobra.Command{
		Use:   "note TEXT... | note --list [FILE...]",
		Short: "Write down what happens: for screens, recordings and reports",
		Long: `note writes a line of text down, with the time: a deploy, a restart, a call from a
user. Recordings of this user have it from then on, the screens draw it on their
charts, perfdeck watch prints it. It is kept when none of them runs, too. Other users
of this computer do not see it.

With - the text is the standard input. --at says when it was: 03:12 is the last time
it was that late, -20m is twenty minutes ago.

--list prints notes, the oldest first: all of this user, or with files those of
recordings. Beside NAME they are in NAME` + note.Suffix + `, an object a line with "time"
(RFC 3339), "text" and "by"; replay, relog and report find them there. Move or pack
it together with the recording.

Programs append their notes to a file that the config names:

  [notes]
  files = ["/var/log/deploys.log"]

One a line: a time (RFC 3339, "2026-11-23 03:12:00", or seconds since 1970) and text;
text alone, whose time is when it was appended; or an object as above.`,
		Example: `  perfdeck note deploy 4.2
  perfdeck note --at 03:12 'the backup began'
  git log -1 --format=%s | perfdeck note -
  perfdeck note --list --begin 22:30
  perfdeck note --list night.csv`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			if f.List {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}, &f, func(c *cobra.Command, args []string, f noteFlags) error {
		if f.List {
			return p.listNotes(c, args, f)
		}
		return p.note(c.Context(), args, f)
	})
	addSpanFlags(c, &f.begin, &f.end, "with --list: ")
	return c
}

var (
	errNoNote    = errors.New("note: there is no text")
	errNoteSpan  = errors.New("note: --begin, --end and --json are of --list")
	errNoteAhead = errors.New("a note is of what was")
	errNoteAt    = errors.New("note: --at is of a note that is written")
)

const (
	// noteAhead is how far the clock may be behind of whoever says when it was.
	noteAhead  = time.Minute
	noteAtHint = "-20m is twenty minutes ago, 03:12 the last time it was that late"
)

// mostNoteInput bounds what is read of the standard input: far more than is kept.
const mostNoteInput = 1 << 20

// note writes a note.
func (p *program) note(ctx context.Context, args []string, f noteFlags) error {
	if f.begin != "" || f.end != "" || f.JSON {
		return usage(errNoteSpan)
	}
	text := strings.Join(args, " ")
	if text == stdinName {
		data, err := io.ReadAll(io.LimitReader(p.in, mostNoteInput))
		if err != nil {
			return fmt.Errorf("note: read standard input: %w", err)
		}
		text = string(data)
	}
	if strings.TrimSpace(text) == "" {
		return usage(errNoNote, `perfdeck note "deploy 4.2" writes one, --list lists them`)
	}
	at := time.Now()
	if f.At != "" {
		var err error
		if at, err = noteTime("at", f.At, at); err != nil {
			return err
		}
	}
	if at.After(time.Now().Add(noteAhead)) {
		return usage(fmt.Errorf("note: --at %s: %w", f.At, errNoteAhead), noteAtHint)
	}
	n, err := note.New(at, text, userName())
	if err != nil {
		return usage(fmt.Errorf("note: %w", err))
	}
	if whole := printable.Text(strings.Join(strings.Fields(text), " ")); n.Text != whole {
		p.aside("perfdeck: note: the text is too long: its first %d characters are kept", note.MostText)
	}
	var with []string
	p.whose(true, ownRecordings)
	err = p.visit(true, func(dir string) (err error) {
		with, err = notes.Write(ctx, dir, n)
		return err
	})
	if err != nil {
		return fmt.Errorf("note: %w", err)
	}
	_, err = fmt.Fprintln(p.out, noteLine(&n, strings.Join(with, ", ")))
	return err
}

// noteLine is a note, and whose it is.
func noteLine(n *note.Note, whose string) string {
	line := n.Time.Local().Format(time.DateTime) + "  " + n.Text
	if whose != "" {
		line += "  (" + whose + ")"
	}
	return printable.Text(line)
}

// noteTime is a moment that is not far from now: a time of day is the last one.
func noteTime(flag, text string, now time.Time) (time.Time, error) {
	if d, err := field.ParseDuration(text); err == nil && text[0] == '+' {
		return now.Add(d), nil
	}
	at, err := session.ParseMoment(text, now)
	if err != nil {
		return at, usage(fmt.Errorf("--%s: %w", flag, err))
	}
	return at, nil
}

// listNotes prints notes, of the user or of recordings.
func (p *program) listNotes(c *cobra.Command, recordings []string, f noteFlags) error {
	if f.At != "" {
		return usage(errNoteAt)
	}
	if len(recordings) == 0 {
		p.whose(true, ownRecordings)
	}
	if _, err := p.settings(c); err != nil { // which tell where programs write notes
		return err
	}
	notes, partly, err := p.notesOf(recordings)
	if err != nil {
		return err
	}
	var begin, end time.Time
	now := time.Now()
	moment := func(flag, text string) (time.Time, error) { return noteTime(flag, text, now) }
	if err := cmp.Or(given(&begin, "begin", f.begin, moment), given(&end, "end", f.end, moment)); err != nil {
		return err
	}
	notes = note.Within(notes, begin, end)
	out := bufio.NewWriter(p.out)
	for _, n := range notes {
		if f.JSON {
			_, _ = out.Write(note.Lines([]note.Note{n}))
			continue
		}
		fmt.Fprintln(out, noteLine(&n, n.By))
	}
	if len(notes) == 0 && !f.JSON {
		p.tell("there are no notes")
	}
	if err := out.Flush(); err != nil && !tty.IsGone(err) {
		return err
	}
	return partlyIf(partly)
}

// notesOf are those of recordings, or without any all of this user. partly tells that some
// could not be read, which was reported.
func (p *program) notesOf(recordings []string) (notes []note.Note, partly bool, err error) {
	if len(recordings) == 0 {
		err := p.visit(false, func(dir string) (err error) {
			book := notebook.New(dir, p.config.NotePaths()...)
			defer book.Close()
			notes, err = book.News()
			return err
		})
		return notes, false, err
	}
	for _, name := range recordings {
		file, _, _ := strings.Cut(name, "!")
		if _, err := os.Stat(name); err != nil && name != stdinName {
			if _, other := os.Stat(file); other != nil {
				return nil, false, fmt.Errorf("list notes: %w", err)
			}
		}
	}
	found, done, err := p.spooled().Files(recordings)
	if err != nil {
		return nil, false, err
	}
	defer done()
	notes, damaged := notebook.Of(found, nil, time.Time{}, time.Time{})
	for _, err := range damaged {
		p.report(err)
	}
	return notes, len(damaged) > 0, nil
}
