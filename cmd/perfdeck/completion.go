package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/hosts/enumerate"
	"perfdeck/session/text/printable"
)

//go:embed completion.bash
var bashCompletion string

// shell is a shell that perfdeck completes for. A new one is a row in shells.
type shell struct {
	name  string
	setUp string // how it is switched on
	write func(root *cobra.Command, w io.Writer) error
}

var shells = []shell{
	{"bash", "in ~/.bashrc:  source <(perfdeck completion bash)", func(_ *cobra.Command, w io.Writer) error {
		_, err := io.WriteString(w, bashCompletion)
		return err
	}},
	{"zsh", `perfdeck completion zsh > "${fpath[1]}/_perfdeck"`, func(root *cobra.Command, w io.Writer) error {
		return root.GenZshCompletion(w)
	}},
	{"fish", "perfdeck completion fish > ~/.config/fish/completions/perfdeck.fish", func(root *cobra.Command, w io.Writer) error {
		return root.GenFishCompletion(w, true)
	}},
}

func (p *program) completionCommand() *cobra.Command {
	var names, setUp []string
	for _, s := range shells {
		names = append(names, s.name)
		setUp = append(setUp, "  "+s.name+": "+s.setUp)
	}
	return &cobra.Command{
		Use:   "completion " + strings.Join(names, "|"),
		Short: "Print the completion script of a shell",
		Long: `completion prints a script that lets a shell complete commands, flags, and the
countersets, instances and counters inside a counter path.

` + strings.Join(setUp, "\n"),
		Args:      exactly("shell"),
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			for _, s := range shells {
				if s.name == args[0] {
					return s.write(c.Root(), p.out)
				}
			}
			return usage(fmt.Errorf("completion %s: no script for this shell", args[0]), "known: "+strings.Join(names, ", "))
		},
	}
}

// completionPatience is how long hosts may take to help who waits in a shell.
const completionPatience = 3 * time.Second

// completePaths completes counter paths: countersets, then instances, then
// counters.
func (p *program) completePaths(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(c.Context(), completionPatience)
	defer cancel()
	computer, rest := cutComputer(typed)
	source, cat := p.completionSource(ctx, computer)
	if cat == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer source.Close()
	instances := func(set *session.Counterset) []string {
		list, _ := enumerate.Instances(ctx, source, set)
		texts := []string{"*"}
		for i := range list {
			texts = append(texts, session.PathOf("", set, 0, &list[i]).InstanceText())
		}
		return texts
	}
	found, open := completePath(cat, rest, instances)
	for i := range found {
		found[i] = strings.TrimSuffix(typed, rest) + found[i]
	}
	if open {
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeRule completes rules as --alert has them: what is absent, a path, and how
// its values are compared.
func (p *program) completeRule(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	const open = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	if len(typed) >= len(absentWord) && paths.EqualFold(typed[:len(absentWord)], absentWord) {
		found, how := p.completePaths(c, nil, typed[len(absentWord):])
		for i := range found {
			found[i] = typed[:len(absentWord)] + found[i]
		}
		if begins(absentHost, typed) {
			found = append(found, absentHost)
		}
		return found, how
	}
	found, how := p.completePaths(c, nil, typed)
	for i, one := range found {
		if path, _, _ := strings.Cut(one, "\t"); paths.EqualFold(path, typed) { // whole: its limit is next
			found = append(slices.Delete(found, i, i+1), path+">", path+"<")
			break
		}
	}
	if begins(absentWord, typed) {
		found = append(found, absentHost, absentWord+`\`)
	}
	return found, how | open
}

// The beginnings of rules about what is not there, as alert.ParseRule reads them.
const (
	absentWord = "absent "
	absentHost = absentWord + "host"
)

// completePack completes names of starter packs.
func completePack(_ *cobra.Command, _ []string, typed string) (found []string, _ cobra.ShellCompDirective) {
	for _, name := range rulepack.Names() {
		if begins(name, typed) {
			found = append(found, described(name, rulepack.About(name)))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// cutComputer takes the computer off a path that is being typed.
func cutComputer(typed string) (computer, rest string) {
	after, has := strings.CutPrefix(typed, `\\`)
	name, _, full := strings.Cut(after, `\`)
	if !has || !full {
		return "", typed
	}
	return name, after[len(name):]
}

// completionSource opens the host that a path is completed for. Nothing is said
// about failures: the shell has no place for it.
func (p *program) completionSource(ctx context.Context, computer string) (session.Source, *session.Catalogue) {
	if computer != "" && !p.flags.Demo {
		p.flags.Hosts = []string{computer}
		if inventory.IsLocal(computer) {
			p.flags.Hosts = []string{"local"}
		}
	}
	hosts, err := p.hosts(inventory.Mode{})
	if err != nil {
		return nil, nil
	}
	for _, h := range hosts {
		if computer == "" || inventory.Is(computer, h.Name) {
			cat, err := h.Source.Catalogue(ctx)
			if err != nil {
				return nil, nil
			}
			return h.Source, cat
		}
	}
	return nil, nil
}

// completePath gives the ways a path may go on, with a tab and a description
// where there is one. open tells that they are not whole paths yet.
func completePath(cat *session.Catalogue, typed string, instances func(*session.Counterset) []string) (found []string, open bool) {
	for _, set := range cat.Sets {
		multiple := set.Instances.Multiple()
		start := `\` + set.Name + `\`
		if multiple {
			start = `\` + set.Name + `(`
		}
		switch {
		case len(typed) < len(start):
			if begins(start, typed) {
				found, open = append(found, described(start, set.Description)), true
			}
		case begins(typed, start) && !multiple:
			found = append(found, completeCounter(set, start, typed)...)
		case begins(typed, start) && strings.Contains(typed, `)\`):
			found = append(found, completeCounter(set, typed[:strings.LastIndex(typed, `)\`)+2], typed)...)
		case begins(typed, start):
			for _, name := range instances(set) {
				if whole := start + printable.Text(name) + `)\`; begins(whole, typed) {
					found, open = append(found, whole), true
				}
			}
		}
	}
	return found, open
}

// completeCounter gives the counters of a set behind the start of a path.
func completeCounter(set *session.Counterset, start, typed string) (found []string) {
	for i := range set.Counters {
		c := &set.Counters[i]
		if whole := start + c.Name; !c.Hidden() && c.Absent == "" && begins(whole, typed) {
			found = append(found, described(whole, c.Description))
		}
	}
	return found
}

// begins compares without case, as paths do.
func begins(text, start string) bool {
	return strings.HasPrefix(paths.Fold(text), paths.Fold(start))
}

func described(text, description string) string {
	text = printable.Text(text)
	if description == "" {
		return text
	}
	return text + "\t" + printable.Text(description)
}

// completeObjects completes names of countersets.
func (p *program) completeObjects(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	source, cat := p.completionSource(c.Context(), "")
	if cat == nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer source.Close()
	var found []string
	for _, set := range cat.Sets {
		if begins(set.Name, typed) {
			found = append(found, described(set.Name, set.Description))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
