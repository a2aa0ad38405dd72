package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"perfdeck/session/wire/smb"
)

// SMBPort is where Windows shares files and pipes.
const SMBPort = 445

// SMB is the transport ncacn_np over a named pipe: SMB 2.1 to 3.1.1, always signed, with a log-on
// of its own besides that of the calls, or over one that was made (On).
func SMB(ctx context.Context, o *Options) (net.Conn, error) {
	var s *smb.Session
	if o.On != nil {
		s = o.On.Session
	} else {
		var err error
		if s, err = logOnSMB(ctx, o); err != nil {
			return nil, err
		}
		defer func() { _ = s.Close() }() // it lasts as long as the pipe
	}
	name := cmp.Or(o.Interfaces[0].pipe, MSPCQ.pipe) // which has all of counters, MS-PCQ 2.1 and MS-RRP 2.1.1
	p, err := s.Pipe(ctx, name, smb.Patience{
		Most: o.pipeWait, Begins: o.extend, Opened: func(detail string) { o.Progress(`open \PIPE\`+name, detail) },
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Shares is a log-on to a host for the files that it shares, and for pipes. It lasts as long as
// one of them is open.
type Shares struct {
	*smb.Session

	by *Client // that calls nothing
}

// Files logs on to a host for the files that it shares, as SMB does for its pipe.
func Files(ctx context.Context, o Options) (*Shares, error) {
	o.setDefaults()
	ctx, cancel := o.bound(ctx)
	defer cancel()
	c := &Client{o: o}
	if err := c.o.prepare(ctx); err != nil {
		return nil, c.failure(ctx, opLogOn, err)
	}
	defer c.o.forget()
	s, err := logOnSMB(ctx, &c.o)
	if err != nil {
		return nil, c.refused(ctx, "connect", err)
	}
	return &Shares{s, c}, nil
}

// On is the log-on that the connection's pipe is open on; nil: it is not one over SMB. It is not to be
// closed.
func (c *Client) On() *Shares {
	if p, ok := c.nc.(*smb.Pipe); ok {
		return &Shares{p.Session(), c}
	}
	return nil
}

// Instead is why NTLM was used though Kerberos was asked for; nil: it was not.
func (s *Shares) Instead() error { return s.by.Instead() }

// Failure is why something was not had of the files, as errors of calls tell it.
func (s *Shares) Failure(ctx context.Context, op string, err error) *Error {
	return s.by.failure(ctx, op, err)
}

// logOnSMB connects and logs on.
func logOnSMB(ctx context.Context, o *Options) (*smb.Session, error) {
	nc, err := o.connect(ctx, SMBPort)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = nc.Close() })
	s, err := smb.Connect(nc, smb.Options{
		Server: o.Host, Logon: smbLogon{o.logOn(ctx, toConnect)}, Encrypt: o.Encrypt,
		Progress: func(step smb.Step, detail string) {
			if step == smb.LoggedOn {
				o.taken = true
				o.Turn.Accepted()
				detail = o.described() + ", " + detail
			}
			o.Progress(smbSteps[step], detail)
		},
	})
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = nc.Close()
		return nil, err
	}
	return s, nil
}

// atSMB tells what became of the first message of DCE/RPC over TCP where nothing came,
// or nothing that belongs there: what listens may speak SMB.
func (o *Options) atSMB(ctx context.Context, err error) error {
	if errors.Is(err, errHeader) {
		return fmt.Errorf("%w: %w", errNotRPC, err)
	}
	mute := errors.Is(err, os.ErrDeadlineExceeded)
	if !mute && !errors.Is(err, io.EOF) && !errors.Is(err, errReset) {
		return err
	}
	if nc, failed := o.connect(ctx, DefaultPort); failed == nil {
		defer func() { _ = nc.Close() }()
		_ = nc.SetDeadline(time.Now().Add(o.CallTimeout / 4))
		if smb.Speaks(nc) {
			return errSMBThere
		}
	}
	if mute {
		return fmt.Errorf("%w: %w", errMute, err)
	}
	return err
}

// smbSteps are what people read of the steps.
var smbSteps = [...]string{
	smb.Negotiated: "negotiate SMB",
	smb.LoggedOn:   "log on over SMB",
	smb.Connected:  "connect to IPC$",
}

// smbLogon is a log-on as SESSION_SETUP carries it.
type smbLogon struct{ *initiator }

func (l smbLogon) Step(token []byte) ([]byte, bool, error) { return l.step(token) }
