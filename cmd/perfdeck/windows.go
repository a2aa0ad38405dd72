package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"perfdeck/session/app/inventory"
	"perfdeck/session/app/windowscli"
)

func (p *program) windowsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "windows",
		Short: "Stand in for typeperf, relog and logman of Windows",
		Long: `perfdeck called by the name typeperf, relog or logman takes the options of that program
as Windows has them, does the same by its own commands, and prints in the same form.
"perfdeck windows links" makes links of these names; typeperf /? lists what each option
does here.`,
	}, "subcommand", "there is links", &cobra.Command{
		Use:   "links DIR",
		Short: "Make links typeperf, relog and logman to this program",
		Long: `links makes typeperf, relog and logman in a folder: links to this program, on Windows
copies of it. What is there already and is none of these is left alone.`,
		Example: `  perfdeck windows links ~/bin
  ~/bin/typeperf '\Memory\Available MBytes' -si 5 -sc 3`,
		Args: exactly("folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			own, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find the program itself: %w", err)
			}
			return windowscli.Link(own, args[0], func(name string) { p.say("%s", name) })
		},
	})
}

// runTool does what a command line of a tool of Windows means, by our own commands.
func (p *program) runTool(tool *windowscli.Tool, args []string) int {
	p.isTool = true
	failed := func(err error) error { return fmt.Errorf("%s: %w", tool.Name, err) }
	t, err := tool.Translate(args, inventory.IsLocal)
	if errors.Is(err, windowscli.ErrHelp) {
		_, err := fmt.Fprint(p.out, tool.Help())
		return p.report(err)
	}
	if err != nil {
		return p.report(usage(failed(err)))
	}
	for _, note := range t.Notes {
		p.aside("%s: %s", tool.Name, note)
	}
	shown := p.out
	finish, err := p.redirect(t)
	if err != nil {
		return p.report(failed(err))
	}
	code := p.runTranslation(t, shown)
	if err := finish(code == exitDone || code == exitPartly); err != nil && code == exitDone {
		code = p.report(failed(err))
	}
	if code == exitDone || code == exitPartly {
		_, err := fmt.Fprintf(shown, "\n%s\n", windowscli.Done)
		code = worse(code, p.report(err))
	}
	return code
}

// runTranslation runs the commands; what stands around them goes to shown.
func (p *program) runTranslation(t *windowscli.Translation, shown *os.File) (code int) {
	around := func(frame windowscli.Frame) int {
		if frame.Shows == windowscli.Nothing {
			return exitDone
		}
		one := &program{in: p.in, out: shown, err: p.err, environ: p.environ, isTool: true} // each run ends its own
		return one.alone(func(ctx context.Context) int {
			if err := one.loadConfig(); err != nil {
				return one.report(err)
			}
			return one.report(frame.Print(ctx, shown, windowscli.Stores{Own: one.sets(), User: userName(), Hosts: one.hostSets()}))
		})
	}
	if code = around(t.Before); code != exitDone {
		return code
	}
	for _, args := range t.Commands {
		code = worse(code, p.run(args))
		if code == exitFailed || code == exitUsage {
			return code
		}
	}
	return worse(code, around(t.After))
}

// redirect lets what is printed go where a translation says.
func (p *program) redirect(t *windowscli.Translation) (finish func(whole bool) error, err error) {
	shown := p.out
	f, err := t.OpenOutput()
	switch {
	case err != nil:
		return nil, err
	case f != nil:
		p.out = f
		return func(whole bool) error { p.out = shown; return t.CloseOutput(f, whole) }, nil
	case t.Quiet:
		p.out = discard()
	}
	return func(bool) error { p.out = shown; return nil }, nil
}
