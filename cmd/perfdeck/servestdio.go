package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"perfdeck/session/hosts/pcq/server"
	"perfdeck/session/system/lifetime"
	"perfdeck/session/system/output"
	"perfdeck/session/text/printable"
)

// serveStdio answers MS-PCQ over the standard input and output until the input ends:
// whoever may run this program as this user sees what this user sees.
func (p *program) serveStdio(c *cobra.Command, private string) error {
	var others []string
	c.Flags().Visit(func(f *pflag.Flag) {
		if c.LocalNonPersistentFlags().Lookup(f.Name) != nil && f.Name != "stdio" && f.Name != "private" {
			others = append(others, "--"+f.Name)
		}
	})
	if len(others) > 0 {
		return usage(fmt.Errorf("serve --stdio with %s", strings.Join(others, ", ")), "it serves this computer to whoever started it, and nothing else")
	}
	if term.IsTerminal(int(p.in.Fd())) || term.IsTerminal(int(p.out.Fd())) {
		return usage(errors.New("serve --stdio: it talks to another perfdeck, and this is a terminal"), "name the host instead: perfdeck --host ssh://NAME")
	}
	lifetime.Processors(1)
	lifetime.Garbage(1)
	if private != "" {
		if err := removeOwn(private); err != nil {
			return err
		}
	}
	own, err := p.ownSource()
	if err != nil {
		return err
	}
	log := output.NewFairLog(p.err, time.Now, output.Dated)
	defer log.Flush()
	if known, err := p.inventory(); err == nil {
		own = known.WithFeeds(own, func(err error) { log.Report(nil, err) })
	} else {
		log.Report(nil, err) // this computer is there all the same
	}
	defer own.Close()
	stream, flushed := p.stdio()
	err = server.ServeStream(c.Context(), stream, server.StreamOptions{
		Source: own, Program: version(), Report: func(_ net.Addr, err error) { log.Report(nil, err) },
	})
	if err != nil {
		return err
	}
	late, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	select {
	case <-flushed:
	case <-late.Done(): // nobody reads it any more
	}
	return nil
}

// removeOwn removes the folder that this program was put into for this run alone: what
// runs stays until it ends.
func removeOwn(folder string) error {
	own, err := os.Executable()
	if err != nil || filepath.Dir(own) != filepath.Clean(folder) || !strings.HasPrefix(filepath.Base(folder), "perfdeck-") {
		return usage(errors.New("serve --private: the folder is not that of this program"))
	}
	if err := os.Remove(own); err != nil {
		return fmt.Errorf("serve --private: %w", err)
	}
	_ = os.Remove(filepath.Join(folder, "stamp"))
	_ = os.Remove(folder) // of somebody else is what is left
	return nil
}

// flushTime is how long the last answer may take to be read.
const flushTime = time.Second

// stdio is the standard input and output as a connection with deadlines, which pipes
// that were inherited need not have. flushed is closed when all that was written to it
// has gone out after its end.
func (p *program) stdio() (stream net.Conn, flushed <-chan struct{}) {
	near, far := net.Pipe()
	p.guard.Go(func() { // it is left behind where the input does not end
		_, _ = io.Copy(far, p.in)
		_ = far.Close()
	})
	out := make(chan struct{})
	p.guard.Go(func() {
		defer close(out)
		if _, err := io.Copy(p.out, far); err != nil && !errors.Is(err, os.ErrClosed) && !errors.Is(err, io.ErrClosedPipe) {
			fmt.Fprintf(p.err, "perfdeck: serve --stdio: %s\n", printable.Text(err.Error()))
			_ = far.Close()
		}
	})
	return near, out
}
