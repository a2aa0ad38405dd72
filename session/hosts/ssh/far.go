package ssh

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

// script is what runs on the other side, for sh of any system with the usual tools, or
// of busybox. $1 is a word that no other output has: it stands before what the script
// says. It first says what it runs on. Then it reads which perfdeck is wanted, which was
// sent before anything was heard: the one for systems like the near one, and after "other"
// the one for this system. It runs that, or takes it in: to the user's cache, or where that
// cannot be written or nothing there be run, to a private folder that perfdeck removes when
// it runs. What was sent on ahead for perfdeck itself it reads away where that does not run
// at once: before it says so, since head may read more than it is told to. It has no
// quotation mark that a login shell could take for the end of it, and no new line.
//
// What it took in and cannot use it removes before it says so.
//
// A copy in the cache is taken for what it was if it and its folder are the user's
// alone, and it has the size and the time that it had when its sum was right. That is
// found out with two processes, uname and ls, since the user waits for it.
var script = strings.Join(strings.Fields(`
set -f; umask 077; n=$1; PATH=$PATH:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin; export PATH; unset BLOCK_SIZE LS_BLOCK_SIZE QUOTING_STYLE;
say() { echo "$n" "$@"; };
drop() { [ "$early" = 0 ] || head -c "$early" >/dev/null; early=0; };
meta() { set -- $(ls -lnd "$1" 2>/dev/null); echo "$1 $3 $5"; };
mine() { case "$(meta "$1")" in "drwx------ $u "*|"drwx------. $u "*|"drwx------@ $u "*) ;; *) return 1;; esac; };
own() { [ ! -L "$1" ] && [ -O "$1" ]; };
good() { own "$1" && own "$1/perfdeck" && [ -f "$1/stamp" ] && [ ! "$1/perfdeck" -nt "$1/stamp" ] && [ ! "$1/perfdeck" -ot "$1/stamp" ] || return 1;
 set -- $(cd "$1" && ls -lnd . perfdeck); mode=$1; while [ $# -gt 6 ] && [ "$1" != . ]; do shift; done;
 case $mode/$2 in drwx------*/-rwx------*) ;; *) return 1;; esac; case $mode$2 in *+*) return 1;; esac; [ "$6" = "$size" ]; };
sum() { if command -v sha256sum >/dev/null; then sha256sum; elif command -v shasum >/dev/null; then shasum -a 256; elif command -v sha256 >/dev/null; then sha256 -q;
 elif command -v openssl >/dev/null; then openssl dgst -sha256 -r; else echo none; fi; };
room() { d=$1; t=$d/new.$$; chmod u=rwx,go=,g-s "$d" && mine "$d" && printf "#\041/bin/sh\n" > "$t" && chmod 700 "$t" && "$t" && head -c "$size" /dev/zero > "$t" && case "$(meta "$t")" in *" $size") ;; *) rm -f "$t"; return 1;; esac; };
undo() { rm -f "$t"; rmdir "$d" || [ -z "$private" ] || rm -rf "$private"; } 2>/dev/null;
fail() { undo; say failed "$1"; exit 1; };
set -- $(uname -sm); say hello 2 "$1" "$2";
read -r early size hash version fits || exit 0;
case " $fits " in *" $1/$2 "*) ;; *) drop; say other; read -r early size hash version fits || exit 0;; esac;
home=$HOME/.cache/perfdeck;
if good "$home/$hash"; then say run "$home/$hash/perfdeck"; exec "$home/$hash/perfdeck" serve --stdio; fi;
p=$(command -v perfdeck) && [ "$(perfdeck --version 2>/dev/null </dev/null)" = "perfdeck $version" ] && { say run "$p"; exec "$p" serve --stdio; };
drop; say absent "$p";
read -r word && [ "$word" = copy ] || exit 0;
u=$(id -u);
private=; t=;
if { [ -d "$HOME" ] && mkdir -p "$home/$hash" && mine "$home" && room "$home/$hash"; } 2>/dev/null; then :;
else { rm -f "$t"; rmdir "$home/$hash"; } 2>/dev/null;
 for b in /dev/shm "$TMPDIR" /tmp; do private=$b/perfdeck-$n; if { [ -n "$b" ] && mkdir "$private" && room "$private"; } 2>/dev/null; then break; fi; rm -rf "$private" 2>/dev/null; t=; done; fi;
if [ -z "$t" ]; then say failed place; exit 1; fi;
trap undo EXIT HUP TERM PIPE;
say copy "$d";
head -c "$size" > "$t"; case "$(meta "$t")" in *" $size") ;; *) fail short;; esac;
set -- $(sum < "$t"); case $1 in "$hash") ;; none) fail nosum;; *) fail sum;; esac;
chmod 700 "$t" && mv -f "$t" "$d/perfdeck" && touch -r "$d/perfdeck" "$d/stamp" || fail put;
trap - EXIT HUP TERM PIPE;
if [ -n "$private" ]; then say run "$d/perfdeck"; exec "$d/perfdeck" serve --stdio --private "$d"; fi;
set +f; for o in "$home"/*; do o=${o##*/}; if [ ${#o} = 64 ] && [ "$o" = "$hash" ]; then :; elif [ ${#o} = 64 ]; then rm -rf "$home/$o"; fi; done;
say run "$d/perfdeck"; exec "$d/perfdeck" serve --stdio
`), " ")

// command is what ssh is told to run. A login shell of any kind takes it apart alike.
func command(word string) string { return "exec /bin/sh -c '" + script + "' perfdeck " + word }

// cleaning removes what was put into the user's cache, and says what it was.
const cleaning = `exec /bin/sh -c 'd=$HOME/.cache/perfdeck; if [ -d "$d" ]; then rm -rf "$d" && echo "$1" removed "$d"; else echo "$1" nothing "$d"; fi' perfdeck `

// greeting is what the other side says of itself before perfdeck runs there.
type greeting struct {
	system, machine string // of uname -s and -m
	noise           string // that its login shell printed before
	path            string // of the perfdeck that runs
	early           bool   // it has what was sent on ahead
}

// Bounds of what is read before perfdeck answers, in bytes.
const (
	mostNoise    = 64 << 10
	mostFarLines = 8 // of the script's
)

var (
	errNoise  = errors.New("the login shell prints more than 64 KB before it does what it is told to")
	errFar    = errors.New("the other side says what it should not")
	errFarEnd = errors.New("the other side ended before it answered")
)

// dialogue is the talk with the script.
type dialogue struct {
	in   *bufio.Reader
	out  io.Writer
	word string
}

// hear reads the next thing that the script says, its first word apart. What others
// print is passed over, and returned.
func (d *dialogue) hear() (what, rest, noise string, err error) {
	var passed strings.Builder
	for {
		line, err := d.line()
		if err != nil {
			return "", "", passed.String(), err
		}
		if at := strings.Index(line, d.word+" "); at >= 0 { // after what ended without a new line
			passed.WriteString(line[:at])
			what, rest, _ = strings.Cut(line[at+len(d.word)+1:], " ")
			return what, strings.TrimSpace(rest), passed.String(), nil
		}
		passed.WriteString(line)
		passed.WriteByte('\n')
		if passed.Len() > mostNoise {
			return "", "", passed.String(), errNoise
		}
	}
}

// line reads a line. Of one that does not end in as many bytes as are read ahead the beginning counts as one.
func (d *dialogue) line() (string, error) {
	text, _, err := d.in.ReadLine()
	if err == io.EOF {
		err = errFarEnd
	}
	return string(text), err
}

// wanted is what the script reads first: of the perfdeck for systems like this one how
// much comes on ahead for it, its size and sum, the version, and what uname calls those
// systems. b is nil where there is none.
func wanted(b *binary, version string, early int, systems []string) string {
	if b == nil {
		b = &binary{sum: unknownSum}
	}
	return fmt.Sprintf("%d %d %s %s %s\n", early, b.size, b.sum, version, strings.Join(systems, " "))
}

// connectFar has a perfdeck of this version answer on the other side. early is what that
// is to read first; it is sent on ahead, and once more where it was in vain.
func (d *dialogue) connectFar(ctx context.Context, c *connecting, early []byte) (*greeting, error) {
	g := &greeting{}
	own, names := c.o.Binaries.own()
	if own == nil {
		early = nil
	}
	if _, err := io.WriteString(d.out, wanted(own, c.o.Version, len(early), names)+string(early)); err != nil {
		return g, err
	}
	what, rest, noise, err := d.hear()
	g.noise, g.early = noise, own != nil
	if errors.Is(err, errFarEnd) && strings.TrimSpace(noise) != "" {
		err = &lastWords{noise}
	}
	if err != nil {
		return g, err
	}
	fields := strings.Fields(rest)
	if what != "hello" || len(fields) != 3 || fields[0] != "2" {
		return g, unexpected(what, rest)
	}
	g.system, g.machine = fields[1], fields[2]
	c.greeted(g)
	return g, d.start(ctx, c, g)
}

// start answers the script until perfdeck runs. A copy is sent once, after it was allowed
// here, whatever the other side says.
func (d *dialogue) start(ctx context.Context, c *connecting, g *greeting) error {
	b, failed := c.o.Binaries.of(g.system, g.machine)
	allowed, asked := false, false
	for range mostFarLines {
		what, rest, _, err := d.hear()
		switch {
		case err != nil:
			return err
		case what == "run":
			g.path = printable.Text(rest)
			return nil
		case what == "other":
			g.early = false
			_, err = io.WriteString(d.out, wanted(b, c.o.Version, 0, nil))
		case what == "absent" && !asked:
			g.early, asked = false, true
			if err = c.mayDeploy(ctx, g, rest, b, failed); err == nil {
				allowed = true
				_, err = io.WriteString(d.out, "copy\n")
			}
		case what == "copy" && allowed:
			allowed = false
			c.progress("copy perfdeck", printable.Text(rest)+", "+english.Size(b.size))
			err = b.copyTo(d.out)
		case what == "failed":
			c.o.Binaries.doubt()
			err = farFailure(rest)
		default:
			err = unexpected(what, rest)
		}
		if err != nil {
			return err
		}
	}
	return errFar
}

func unexpected(what, rest string) error {
	return fmt.Errorf("%w: %s", errFar, printable.Shorten(printable.Text(what+" "+rest), 80))
}

// unknownSum stands for no perfdeck at all.
var unknownSum = strings.Repeat("0", 64)

// farFailures are what can go wrong with a copy, in the script's words, and what can be done.
var farFailures = map[string][2]string{
	"place": {"there is no folder with room for it in which programs may run: neither ~/.cache, /dev/shm nor /tmp", "make room there, or install perfdeck on the host"},
	"short": {"not all of it arrived", "is the disk full there?"},
	"nosum": {"the host has no program that makes SHA-256 sums", "install perfdeck on the host"},
	"sum":   {"what arrived has another SHA-256 sum than what was sent", "try again; if it stays so, the disk there is damaged"},
	"put":   {"it could not be put into place", "look at the folder ~/.cache/perfdeck there"},
}

func farFailure(word string) error {
	if e, ok := farFailures[word]; ok {
		return &Error{"copy perfdeck", errors.New(e[0]), e[1]}
	}
	return unexpected("failed", word)
}
