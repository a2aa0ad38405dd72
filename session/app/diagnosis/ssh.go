package diagnosis

import (
	"cmp"
	"context"
	"errors"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/hosts/ssh"
)

// overSSH tries the steps of a host that is reached by ssh.
func (e *examination) overSSH(ctx context.Context, t inventory.Target) error {
	var o ssh.Options
	if err := e.step("read the name", func() (_ string, err error) {
		if o, err = e.Known.SSHOptions(t); err != nil {
			return "", err
		}
		return o.String(), nil
	}); err != nil {
		return err
	}
	if err := e.step("ssh program", func() (string, error) { return o.Program.Describe(ctx), nil }); err != nil {
		return err
	}
	var turn session.Serial // ssh and the other side tell at the same time
	passed := stopwatch()
	o.Progress = func(step, detail string) {
		turn.Do(func() { e.tell(passed(), step, detail, nil) })
	}
	source := e.Known.SSHSource(t, o, inventory.Mode{Bare: true})
	defer source.Close()
	if err := source.Connect(ctx); err != nil {
		op := "connect"
		if why, ok := errors.AsType[*ssh.Error](err); ok {
			op = cmp.Or(why.Op, op)
		}
		turn.Do(func() { e.tell(passed(), op, "", err) })
		return err
	}
	err := e.read(ctx, source)
	if err == nil {
		e.beside(ctx, source)
	}
	e.notes(source)
	return err
}
