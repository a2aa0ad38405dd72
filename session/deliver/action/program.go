package action

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/subprocess"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// The limits of programs.
const (
	mostPrograms = 16          // of all tasks at once
	grace        = time.Second // for its output to close after its end
	mostArgument = 8 << 10     // bytes
)

var errTime = errors.New("it did not end in time")

// runTask runs a task for a notice, when fewer than mostPrograms run.
func (r *Runner) runTask(j job) {
	select {
	case r.programs <- struct{}{}:
	case <-r.ctx.Done():
		r.leave(j.action, 1, errClosed)
		return
	}
	defer func() { <-r.programs }()
	r.mu.Lock()
	t, known := r.targets.Tasks[j.action.Name]
	r.mu.Unlock()
	r.done(j)
	if !known {
		r.fail(j.action, errUnknown)
		return
	}
	if err := For(r.ctx, t, &j.notice, r.o.Environ); err != nil {
		r.fail(j.action, fmt.Errorf("for %q on %s: %w", j.notice.ID.Rule, j.notice.ID.Host, err))
	}
}

// For runs a task for a notice, beside those of a Runner.
func For(ctx context.Context, t config.Task, n *alert.Notice, ours []string) error {
	return runProgram(ctx, t, "PERFDECK_ALERT_", variables(n), ours)
}

// Run runs a task with variables, by their names in its arguments. It sees the part of
// the environment that programs do, and the variables as PERFDECK_NAME.
func Run(ctx context.Context, t config.Task, v map[string]string, ours []string) error {
	for name, text := range v {
		v[name] = fit(text)
	}
	return runProgram(ctx, t, "PERFDECK_", v, ours)
}

// runProgram runs a program without a shell, without a terminal, in a group of its own that ends with
// it. Its environment has the variables behind a prefix.
func runProgram(ctx context.Context, t config.Task, prefix string, v map[string]string, ours []string) error {
	command := arguments(t.Command, v)
	if err := checkOptions(t.Command, command); err != nil {
		return err
	}
	ctx, end := context.WithTimeoutCause(ctx, t.Timeout, fmt.Errorf("%w: it was ended after %s", errTime, english.Span(t.Timeout)))
	defer end()
	name, err := config.Program(command[0])
	if err != nil {
		return err
	}
	out := &subprocess.Head{}
	c := exec.CommandContext(ctx, name, command[1:]...) //nolint:gosec // of a file that only the user may write
	c.Env, c.Stdout, c.Stderr, c.WaitDelay = environ(ours, prefix, v), out, out, grace
	wait, _, err := subprocess.Start(c)
	if err != nil {
		return err
	}
	err = wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it ended; what it left behind is ended, too
	case err != nil && out.FirstLine() != "":
		return fmt.Errorf("%w: %s", err, out.FirstLine())
	}
	return err
}

// fit makes foreign text fit for an argument or a variable.
func fit(text string) string {
	return printable.Text(text[:min(len(text), mostArgument)])
}

// arguments puts the variables into the arguments of a command, each inside the
// one where it stands. What a variable brings along is not looked at again.
func arguments(command []string, v map[string]string) []string {
	var pairs []string
	for name, text := range v {
		pairs = append(pairs, "{"+name+"}", text)
	}
	expanded, out := strings.NewReplacer(pairs...), slices.Clone(command)
	for i := range out[1:] {
		out[i+1] = expanded.Replace(out[i+1])
	}
	return out
}

// checkOptions refuses arguments that a variable made an option of the user's program: names
// of rules, sets, hosts and instances come from elsewhere. Behind -- there are no options; a
// number may be below zero.
func checkOptions(command, expanded []string) error {
	for i := 1; i < len(command) && command[i] != "--"; i++ {
		name, _, made := strings.Cut(strings.TrimPrefix(command[i], "{"), "}")
		rest, dashed := strings.CutPrefix(expanded[i], "-")
		isNumber := (name == "value" || name == "threshold") && rest != "" && rest[0] >= '0' && rest[0] <= '9'
		if !dashed || !made || !strings.HasPrefix(command[i], "{") || isNumber {
			continue
		}
		return failure.WithHint(fmt.Errorf("it was not run: its argument %s would be an option, %s", command[i], expanded[i]),
			`put "--" before that argument in [tasks], or more into it, as "--text=`+command[i]+`"`)
	}
	return nil
}

// environ is what a program sees: a part of ours, and the variables behind a prefix.
func environ(ours []string, prefix string, v map[string]string) []string {
	out := subprocess.Environ(ours)
	for _, name := range slices.Sorted(maps.Keys(v)) {
		out = append(out, prefix+strings.ToUpper(name)+"="+v[name])
	}
	return out
}
