package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/lifetime"
	"perfdeck/session/system/service"
	"perfdeck/session/system/tty"
	"perfdeck/session/text"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitPartly = 3
)

// exitError is an error with an exit code of its own. A nil err ends the
// program without a word.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error as wrong usage, with a hint where there is one.
func usage(err error, hint ...string) error { return failure.Usage(err, hint...) }

// ended ends the program without a word.
func ended(code int) error {
	if code == exitDone {
		return nil
	}
	return &exitError{code: code}
}

// partlyIf does so as something was left out.
func partlyIf(left bool) error {
	if left {
		return ended(exitPartly)
	}
	return nil
}

// tellError reports an error by the way.
func (p *program) tellError(err error) { p.report(err) }

// report prints an error as `perfdeck: what was tried: why`, with a hint where
// something can be done, and returns the exit code.
func (p *program) report(err error) int {
	if err == nil || p.outputGone(err) {
		return exitDone
	}
	if errors.Is(err, session.ErrAgain) {
		p.service.well()
		p.tell(err.Error())
		return exitDone
	}
	p.service.failed()
	code := exitFailed
	if coded, ok := errors.AsType[*exitError](err); ok {
		code = coded.code
		if coded.err == nil {
			return code
		}
	}
	if _, wrong := errors.AsType[*failure.UsageError](err); wrong {
		code = exitUsage
	}
	if _, foreign := errors.AsType[*config.StateError](err); foreign { // each that keeps something says it
		if _, told := p.toldState.Made(); told {
			return code
		}
		_, _ = p.toldState.Get(func() (bool, error) { return true, nil })
	}
	out := p.people(p.err)
	lead := p.service.lead(service.Warning)
	fmt.Fprintf(out, "%s%s %s\n", lead, out.Mark(themes.Critical, "perfdeck:"), printable.Text(p.shown(err.Error())))
	if _, ended := errors.AsType[*lifetime.SignalError](err); ended {
		return exitFailed // nothing is wrong with what was asked for
	}
	advice := failure.Hint(err)
	if parse, ok := errors.AsType[*paths.ParseError](err); ok {
		advice = cmp.Or(advice, pathHint)
		line, caret := parse.Point()
		fmt.Fprintf(out, "%s  %s\n%[1]s  %[3]s\n", lead, printable.Text(line), out.Mark(themes.Focus, caret))
	}
	if _, unknown := errors.AsType[*paths.LookupError](err); unknown {
		advice = cmp.Or(advice, "perfdeck list shows what there is")
	}
	hint(out, lead, p.service.news(advice))
	if lack, ok := errors.AsType[*session.NoFunctionError](err); ok {
		hint(out, lead, functionHint(lack.Question))
	}
	return code
}

// byTheWay is standard output for what is printed by the way: that it could not be is told
// when the command ends.
type byTheWay struct{ *program }

func (s byTheWay) Write(b []byte) (int, error) {
	n, err := s.out.Write(b)
	s.unsaid = cmp.Or(s.unsaid, err)
	return n, err
}

// say prints a line to it, whatever its words come from.
func (p *program) say(format string, args ...any) {
	_, _ = fmt.Fprintln(byTheWay{p}, printable.Text(fmt.Sprintf(format, args...)))
}

// aside prints such a line to standard error.
func (p *program) aside(format string, args ...any) {
	fmt.Fprintln(p.err, printable.Text(fmt.Sprintf(format, args...)))
}

// tell tells the user in words how things go.
func (p *program) tell(text string) {
	out := p.people(p.err)
	fmt.Fprintf(out, "%s%s %s\n", p.service.lead(service.Info), out.Mark(themes.Muted, "perfdeck:"), printable.Text(text))
}

// warn tells of what goes on all the same, and what can be done.
func (p *program) warn(text, cure string) {
	out := p.people(p.err)
	lead := p.service.lead(service.Notice)
	fmt.Fprintf(out, "%s%s %s\n", lead, out.Mark(themes.Careful, "perfdeck:"), printable.Text(text))
	hint(out, lead, p.service.news(cure))
}

// hint prints what can be done, where something can.
func hint(out *text.Printer, indent, cure string) {
	if cure != "" {
		fmt.Fprintf(out, "%s%s %s\n", indent, out.Mark(themes.Accent, "hint:"), printable.Text(cure))
	}
}

// functionHint tells where it is said how instances are combined.
func functionHint(q session.Question) string {
	if q.Combine != nil {
		return "say how: --aggregate-func total, average, minimum or maximum"
	}
	return `say how in the path, as \Set(total of a|b)\Counter: total, average, minimum or maximum`
}

// outputGone tells whether the reader of standard output went away, as head does: that is no
// failure, where a signal does not end us first.
func (p *program) outputGone(err error) bool {
	e, ok := errors.AsType[*fs.PathError](err)
	return ok && tty.IsGone(e.Err) && e.Path == p.out.Name()
}

// unlessEnded drops the error of a command that was ended by a signal.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}
