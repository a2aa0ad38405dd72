package diagnosis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"perfdeck/session/app/inventory"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/hosts/pla"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/english"
	"perfdeck/session/wire/dcom"
	"perfdeck/session/wire/rpc"
)

// What lets a host be reached for its collector sets.
const (
	resolverCure = `open TCP 135 there: netsh advfirewall firewall set rule group="Performance Logs and Alerts" new enable=yes`
	exporterCure = `the firewall group "Performance Logs and Alerts" lets plasrv.exe listen there: at 49152 to 65535, unless HKLM\Software\Microsoft\Rpc\Internet of the host says other ports`
	rightsCure   = "the account has to be one of Administrators or Performance Log Users there; a local administrator that is not the built-in one is filtered by UAC (LocalAccountTokenFilterPolicy); " +
		"what DCOM hardening refused is told by events 10036 to 10038 of DistributedCOM in the host's System log"
)

// sets tries the steps of the collector sets of a host: where objects are activated and the
// log-on there, the activation, the port of the process that has the objects, and the rights, as a list
// shows them.
func (e *examination) sets(ctx context.Context, t inventory.Target) error {
	line, err := e.Known.SetsLine(t)
	if err != nil {
		e.tell(0, "prepare", "", err)
		return err
	}
	passed := stopwatch()
	fail := func(step string, err error, cure string) error {
		err = cured(err, cure)
		e.tell(passed(), step, "", err)
		return err
	}
	at := cmp.Or(line.Port, dcom.ResolverPort)
	active, told := false, false
	dial := func(ctx context.Context, port int, interfaces ...rpc.Interface) (*rpc.Client, error) {
		of, cure := "TCP "+strconv.Itoa(port), resolverCure
		if port != at {
			if cure = exporterCure; !active {
				active = true
				e.tell(passed(), "activate", "its objects are at "+of, nil)
			}
		}
		c, err := line.Dialer(func(c *logon.Connection) {
			c.Once, c.Heard = true, e.Heard
			c.Progress = func(step, detail string) { e.tell(passed(), of+": "+step, detail, nil) }
		})(ctx, port, interfaces...)
		if err != nil {
			told = true
			err = fail(of, err, cure)
		}
		return c, err
	}
	s := pla.New(dial, line.Port)
	defer s.Close() //nolint:errcheck // nothing is lost
	all, err := s.List(ctx)
	switch {
	case told && err != nil:
		return err
	case err != nil && !active:
		return fail("activate", err, "")
	case err != nil:
		return fail("list the sets", err, "")
	}
	running := 0
	for _, set := range all.Sets {
		if set.Status == pla.Running {
			running++
		}
	}
	e.tell(passed(), "list the sets", english.Count(len(all.Sets)+all.More, "set", "sets")+fmt.Sprintf(", %d run", running), nil)
	for _, c := range pla.Categories {
		if err := all.Not[c]; err != nil {
			e.Note(cured(fmt.Errorf("sets of %s: %w", c, err), ""))
		}
	}
	return nil
}

// cured is why a step failed, with what lets the host be reached, or what gives rights.
func cured(err error, reach string) error {
	answer, answered := errors.AsType[*pla.Error](err)
	_, nameless := errors.AsType[*net.DNSError](err)
	call, called := errors.AsType[*rpc.Error](err)
	switch {
	case called && call.IsLogOn() && isDenied(uint32(call.Code)):
		return failure.WithHint(err, "check user and password; "+rightsCure)
	case answered && isDenied(answer.Code), called && isDenied(uint32(call.Code)):
		return failure.WithHint(err, rightsCure)
	case reach != "" && !nameless && (!called || call.Code == 0 && !call.IsLogOn()):
		return failure.WithHint(err, reach)
	}
	return err
}

// isDenied tells codes of missing rights, of a method or before it.
func isDenied(code uint32) bool { return code == 0x80070005 || code == uint32(rpc.CodeAccessDenied) }
