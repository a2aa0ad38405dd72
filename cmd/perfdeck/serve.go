package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/hosts/feed"
	"perfdeck/session/hosts/local"
	"perfdeck/session/hosts/manifest"
	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/output"
	"perfdeck/session/system/service"
	"perfdeck/session/text/english"
	"perfdeck/session/wire/rpc"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	server.Options

	Listen    string   `flag:"listen" help:"address to listen on; empty with --samba-pipe: none"`
	Stdio     bool     `flag:"stdio" help:"answer over the standard input and output, for ssh, without a log-on"`
	Private   string   `flag:"private" help:""` // folder of this program, which goes when it runs
	SambaPipe string   `flag:"samba-pipe" help:"socket on which smbd hands \\PIPE\\winreg over"`
	Manifests []string `flag:"manifest" help:"publish a manifest's countersets, with the values that --feed brings (repeatable)"`
	feeds     []string
	account   string
	accounts  string
}

func (p *program) serveCommand() *cobra.Command {
	f := serveFlags{Options: server.Options{MaxConnections: 64}, Listen: "127.0.0.1:" + strconv.Itoa(rpc.DefaultPort)}
	c := flagged(&cobra.Command{
		Use:   "serve",
		Short: "Publish this computer's counters, or a manifest's, over MS-PCQ",
		Long: `serve publishes the countersets of this computer, with what the [[feed]] tables of the
config feed, over the Performance Counter Query Protocol; with --manifest those of
manifests, with the values that --feed brings. Clients log on with NTLM;
everything is sealed. It never starts without an account. After 4 wrong passwords for
an account from an address in 3 seconds it looks at no more of them for a while, and
says so; neither other addresses nor other accounts wait for that. On SIGHUP it reads
accounts and feeds again, and ends the connections of accounts that are gone or have
another password; where feeds changed it ends all, and clients log on again.

With --samba-pipe a Samba server on this computer hands its \PIPE\winreg over, so that
Windows reads the counters through Samba's SMB: PATH is the socket np/winreg below the
"ncalrpc dir" of smb.conf, which has "rpc start on demand helpers = no". Clients need
their account at Samba and, with the same password, here. Samba 4.17 is served.

With --stdio it answers over its standard input and output until the input ends: all
that this user may see, Process and Thread included, and what the user's config feeds.
Nobody logs on. perfdeck --host ssh://NAME starts it so on the host.`,
		Example: `  perfdeck serve passwd --accounts counters.accounts ana
  perfdeck serve --accounts counters.accounts --listen 0.0.0.0:14500
  perfdeck serve --accounts counters.accounts --manifest queue.man --feed run:queue-stats
  perfdeck serve --accounts counters.accounts --listen '' --samba-pipe /run/samba/ncalrpc/np/winreg
  perfdeck serve --accounts /etc/perfdeck/serve.accounts --listen :14500 --systemd > /etc/systemd/system/perfdeck-serve.service
  perfdeck --host tcp://srv1:14500 --user ana`,
		Args: atMost(0),
	}, &f, func(c *cobra.Command, _ []string, f serveFlags) error {
		if f.Stdio {
			return p.serveStdio(c, f.Private)
		}
		return p.serve(c, f)
	})
	l := c.Flags()
	l.StringArrayVar(&f.feeds, "feed", nil, "where their values come from: "+feed.Forms+" (repeatable)")
	l.StringSliceVar(&f.Expose, "expose", nil, "countersets to publish (default all but Process, Process Exits, Thread and Service)")
	l.StringVar(&f.account, "account", "", "one account; its password comes from --password-file, "+passwordVariable+" or a prompt")
	c.PersistentFlags().StringVar(&f.accounts, "accounts", "", "file of accounts, a line name:NT-hash each, mode 0600")
	p.addUnitFlag(c, "counters over MS-PCQ", nil, lowPorts, "--samba-pipe: User=root, DynamicUser=no and ReadWritePaths= of the socket's folder, which is root's alone.")
	c.AddCommand(p.passwdCommand(&f))
	return c
}

func (p *program) serve(c *cobra.Command, f serveFlags) error {
	if f.MaxConnections < 1 || f.MaxPerAccount < 0 || f.MaxPerAddress < 0 {
		return usage(errors.New("serve: at least one connection must be allowed"))
	}
	ctx, s := c.Context(), p.serviceOf(c, serveKeys)
	if err := p.loadConfig(); err != nil {
		return err
	}
	if f.accounts != "" {
		s.reads("accounts", f.accounts)
	}
	ask := func() ([]byte, error) { return p.accounts().Ask(f.account) }
	if p.flags.passwordFile == "" && p.password == nil {
		var once session.Late[[]byte] // the user is asked
		ask = func() ([]byte, error) {
			return once.Get(func() ([]byte, error) { return p.accounts().Ask(f.account) })
		}
	}
	accounts, err := server.AccountsOf(f.accounts, f.account, ask)
	if err == nil && len(accounts) == 0 {
		err = usage(server.ErrNoAccount, "use --account NAME, or --accounts FILE, see perfdeck serve passwd")
	}
	if err != nil {
		return err
	}
	defer p.life.Outlive()()
	log := output.NewFairLog(p.err, time.Now, func(now time.Time) string {
		if s.log.IsJournal() {
			return s.lead(service.Warning)
		}
		return output.Dated(now)
	})
	defer log.Flush()
	report := func(err error) { log.Report(nil, err) }
	known := p.known()
	fed := known.Fed()
	source, begin, err := p.servedSource(known, f, report)
	if err != nil {
		return err
	}
	l, pipe, err := p.servingOn(ctx, f)
	if err != nil {
		return errors.Join(err, source.Close())
	}
	f.Source, f.Accounts, f.Go, f.Pipe, f.Report = source, accounts, p.guard.Go, pipe, log.Report
	of, err := server.New(ctx, f.Options)
	if err != nil {
		closeAll(l, pipe)
		return errors.Join(err, source.Close())
	}
	defer of.Close() //nolint:errcheck // it was only read
	begin()
	at := ""
	if l != nil {
		at += ", serving on " + l.Addr().String()
	}
	if pipe != nil {
		at += ", serving smbd on " + f.SambaPipe
	}
	end := s.begun(english.Count(of.Published(), "counterset", "countersets") + ", " + english.Count(len(accounts), "account", "accounts") + at)
	defer end()
	defer s.onHangup(ctx, func(config.Settings) (string, error) {
		now, err := server.AccountsOf(f.accounts, f.account, ask)
		if err != nil {
			return "", err
		}
		if next := known.Fed(); !next.Is(fed) && len(f.Manifests) == 0 {
			source, begin, err := p.servedSource(known, f, report)
			if err != nil {
				return "", err
			}
			if err := of.SetSource(ctx, source); err != nil {
				return "", errors.Join(err, source.Close())
			}
			begin()
			fed = next
		}
		said := english.Count(len(now), "account", "accounts") + " " + strings.Join(accounts.Changes(now), " ")
		of.SetAccounts(now)
		accounts = now
		return strings.TrimSpace(said), nil
	})()
	return of.Serve(ctx, l)
}

// closeAll closes the listeners that there are.
func closeAll(all ...net.Listener) {
	for _, l := range all {
		if l != nil {
			_ = l.Close()
		}
	}
}

// servingOn listens where the flags say; what they do not say is nil.
func (p *program) servingOn(ctx context.Context, f serveFlags) (l, pipe net.Listener, err error) {
	if f.Listen == "" && f.SambaPipe == "" {
		return nil, nil, usage(errors.New("serve: nowhere to listen"), "use --listen ADDRESS, --samba-pipe PATH or both")
	}
	if f.SambaPipe != "" {
		pipe, err = server.ListenSambaPipe(f.SambaPipe)
		hint := "its folder must be there: np below the \"ncalrpc dir\" that testparm -v prints, mode 0700; root may write it"
		if errors.Is(err, server.ErrPipeTaken) {
			hint = `smb.conf needs "rpc start on demand helpers = no"; then restart smbd`
		}
		if err != nil {
			return nil, nil, failure.WithHint(fmt.Errorf("serve: %w", err), hint)
		}
	}
	if f.Listen != "" {
		if l, err = new(net.ListenConfig).Listen(ctx, "tcp", f.Listen); err != nil {
			closeAll(pipe)
			return nil, nil, failure.WithHint(fmt.Errorf("serve: %w", err), listenHint(err))
		}
	}
	return l, pipe, nil
}

// servedSource is this computer with what is fed beside it, or what manifests declare and programs
// feed. What is fed runs from begin on.
func (p *program) servedSource(known *inventory.Inventory, f serveFlags, report func(error)) (source session.Source, begin func(), err error) {
	if len(f.Manifests) == 0 {
		if len(f.feeds) > 0 {
			return nil, nil, usage(errors.New("serve: --feed without --manifest"), "a manifest declares what is fed: perfdeck manifest init makes one")
		}
		own, err := p.ownSource()
		if err != nil {
			return nil, nil, err
		}
		source, begin = known.Served(own, report)
		return source, begin, nil
	}
	inlets, err := inletsOf(f.feeds)
	if err != nil {
		return nil, nil, err
	}
	m, err := manifest.Check(f.Manifests, p.readInput)
	if err != nil {
		return nil, nil, err
	}
	if err := m.Verdict("serve"); err != nil {
		m.WriteErrors(p.err)
		return nil, nil, err
	}
	if len(inlets) == 0 {
		report(failure.WithHint(errors.New("nothing feeds the manifest: its counters have no value"), "name what does: --feed run:PROGRAM"))
	}
	return known.ServedFeed(m.Files, inlets, report), func() {}, nil
}

// inletsOf reads --feed.
func inletsOf(flags []string) ([]feed.Inlet, error) {
	var out []feed.Inlet
	for _, text := range flags {
		in, err := feed.ParseInlet(text)
		if err != nil {
			return nil, usage(fmt.Errorf("--feed %q: %w", text, err), "write "+feed.Forms)
		}
		out = append(out, in)
	}
	return out, nil
}

// ownSource is this computer, without what stands in for it on Windows.
func (p *program) ownSource() (session.Source, error) {
	if p.own != nil {
		return p.own()
	}
	return local.Open(local.Options{Go: p.guard.Go})
}

func (p *program) passwdCommand(f *serveFlags) *cobra.Command {
	remove := false
	c := &cobra.Command{
		Use:   "passwd NAME",
		Short: "Add an account to an accounts file, give it a new password, or remove it",
		Long: `passwd adds an account to the file of --accounts, or gives it a new password; with
--remove it takes it out. A server that runs takes that at SIGHUP, and ends the connections
of accounts that are not there any more or have another password: of all, where none is left.`,
		Example: `  perfdeck serve passwd --accounts counters.accounts ana
  perfdeck serve passwd --accounts counters.accounts --remove ana`,
		Args: exactly("account name"),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case f.accounts == "":
				return usage(errors.New("serve passwd: no file is named"), "use --accounts FILE")
			case remove:
				left, err := server.RemoveAccount(f.accounts, args[0])
				if err != nil {
					return err
				}
				text := f.accounts + " has no account " + args[0] + " any more"
				if left == 0 {
					text += ", and no other: nobody can log on after a reload, and no server starts with it"
				}
				p.tell(text)
				return nil
			}
			return p.passwd(f.accounts, args[0])
		},
	}
	c.Flags().BoolVar(&remove, "remove", false, "remove the account")
	return c
}

// passwd sets the password of an account in a file. On a terminal it is asked for twice.
func (p *program) passwd(file, account string) error {
	err := server.SetPassword(file, account, func() ([]byte, error) {
		password, err := p.accounts().Ask(account)
		if err != nil || p.flags.passwordFile != "" || p.password != nil {
			return password, err
		}
		again, err := p.prompt("again")
		if err == nil && !bytes.Equal(password, again) {
			err = errors.New("serve passwd: the two passwords differ")
		}
		return password, err
	})
	if err != nil {
		return err
	}
	p.aside("perfdeck: %s holds the account %s", file, account)
	return nil
}
