package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"perfdeck/session/hosts/ssh"
	"perfdeck/session/text/printable"
	"perfdeck/tui"
)

var errUnanswered = errors.New("no answer")

// askForSSH asks the user what ssh asks: in a dialog while the screens are there, else
// on the terminal.
func (p *program) askForSSH(ctx context.Context, q ssh.Question) (string, error) {
	if s, are := p.asks.Get(); are && s != nil {
		return askOnScreen(ctx, s, q)
	}
	if p.isOnScreen() {
		return "", errUnanswered
	}
	lines := strings.Split(q.Text, "\n")
	last := strings.TrimRight(lines[len(lines)-1], ": ")
	for _, line := range lines[:len(lines)-1] {
		p.aside("%s", line)
	}
	if q.Secret {
		b, err := p.prompt(last)
		defer clear(b)
		return string(b), err
	}
	if q.YesNo && !strings.Contains(last, "yes/no") {
		last += " (yes/no)"
	}
	return p.answer(last, q.YesNo)
}

// answer asks on the terminal until there is an answer, with yesNo one of the two.
func (p *program) answer(question string, yesNo bool) (string, error) {
	for {
		fmt.Fprintf(p.err, "%s: ", printable.Text(question))
		answer, err := p.readLine()
		answer = strings.ToLower(strings.TrimSpace(answer))
		switch {
		case err != nil:
			return "", err
		case !yesNo || answer == "yes" || answer == "no":
			return answer, nil
		case answer == "y":
			return "yes", nil
		case answer == "n" || answer == "":
			return "no", nil
		}
	}
}

// readLine reads what the user types, up to the end of the line and not further.
func (p *program) readLine() (string, error) {
	const most = 1024 // bytes
	var line []byte
	b := make([]byte, 1)
	for len(line) < most {
		if _, err := p.in.Read(b); err != nil {
			return "", fmt.Errorf("ask: %w", err)
		}
		if b[0] == '\n' {
			break
		}
		line = append(line, b[0])
	}
	return string(line), nil
}

// askOnScreen asks in a dialog.
func askOnScreen(ctx context.Context, s *tui.Session, q ssh.Question) (string, error) {
	type answer struct {
		text string
		ok   bool
	}
	answers := make(chan answer, 1)
	ask := tui.Question{
		Title: "ssh to " + strings.TrimPrefix(q.Host, ssh.Scheme), Text: strings.ReplaceAll(q.Text, "\n", " "), Secret: q.Secret,
		Answer: func(text string, ok bool) { answers <- answer{text, ok} },
	}
	if q.YesNo {
		ask.Yes = "yes"
	}
	withdraw := s.Ask(ask)
	select {
	case a := <-answers:
		if !a.ok {
			return "", errUnanswered
		}
		return a.text, nil
	case <-ctx.Done():
		withdraw()
		return "", context.Cause(ctx)
	}
}
