package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"perfdeck/session"
	"perfdeck/session/inventory"
	"perfdeck/session/source/ssh"
)

// overSSH tries the steps of a host that is reached by ssh.
func (d *doctor) overSSH(ctx context.Context, t inventory.Target) error {
	var o ssh.Options
	if err := d.step("read the name", func() (_ string, err error) {
		o, err = d.known.SSHOptions(t)
		return o.String(), err
	}); err != nil {
		return err
	}
	if err := d.step("ssh program", func() (string, error) { return o.Program.Describe(ctx), nil }); err != nil {
		return err
	}
	var turn session.Serial // ssh and the other side tell at the same time
	began := time.Now()
	passed := func() time.Duration {
		took := time.Since(began)
		began = time.Now()
		return took
	}
	o.Progress = func(step, detail string) {
		turn.Do(func() { d.line(passed(), step, detail, nil) })
	}
	source := d.known.SSHSource(t, o, inventory.Mode{})
	defer source.Close()
	if err := source.Connect(ctx); err != nil {
		op := "connect"
		if e, ok := errors.AsType[*ssh.Error](err); ok {
			op = cmp.Or(e.Op, op)
		}
		turn.Do(func() { d.line(passed(), op, "", err) })
		return err
	}
	err := d.read(ctx, source)
	d.notes(source)
	return err
}
