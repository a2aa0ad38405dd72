package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/session/config"
	"perfdeck/session/files/formats/textfile"
	"perfdeck/session/files/logs"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/language"
)

// languagesFolder is where files of names are, in the folder of the config.
const languagesFolder = "languages"

// dictionary knows names of counters in other languages: those of the user's files beside what
// is built in. What is wrong with those is told once.
func (p *program) dictionary() *language.Dictionary {
	d, _ := p.languages.Get(func() (*language.Dictionary, error) {
		dir, err := config.Dir()
		if err != nil {
			return nil, nil //nolint:nilnil,nilerr // nobody has files
		}
		d, told := language.Read(osfile.Plain(filepath.Join(dir, languagesFolder)))
		for _, err := range told {
			p.tellError(failure.WithHint(err, "perfdeck list --help says how such a file is written"))
		}
		return d, nil
	})
	return d
}

// opener opens the recordings of a player.
func (p *program) opener(ctx context.Context, o logs.OpenOptions) func(name string) (logs.Reader, error) {
	o = p.naming(o)
	return func(name string) (logs.Reader, error) { return relog.Open(ctx, name, o) }
}

// naming adds what is known of names to how recordings are read.
func (p *program) naming(o logs.OpenOptions) logs.OpenOptions {
	o.Names = p.dictionary()
	return o
}

// translator translates English names into a language; nil: none is asked for.
func (p *program) translator(tag string) (func(language.Names) language.Names, error) {
	if tag == "" {
		return nil, nil //nolint:nilnil // as it says
	}
	to, ok := p.dictionary().In(tag)
	if !ok {
		return nil, usage(fmt.Errorf("list: no names are known in %q", tag), "known: "+strings.Join(p.dictionary().Tags(), ", "))
	}
	return to, nil
}

// addReadingFlags adds the flags of how recordings are read; when says with what they go.
func addReadingFlags(c *cobra.Command, o *logs.OpenOptions, when string) {
	c.Flags().StringVar(&o.Encoding, "encoding", "", when+"encoding of text files, as 1252, 932, utf-16le (default: as the file tells)")
	offer(c, "encoding", textfile.Encodings())
	c.Flags().BoolVar(&o.English, "english", false, when+"names of counters in English, where the recording has them in another language")
}
