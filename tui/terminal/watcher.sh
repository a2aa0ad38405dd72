# Gives a terminal back where perfdeck could not: killed, out of memory, or after a panic in
# a goroutine of a library. It waits for the end of its input, told meanwhile whether the
# terminal is perfdeck's, and what Go says of a crash, which is on a screen that ends.
trap '' HUP INT QUIT TERM PIPE TSTP TTIN TTOU
was=$1 raw=$2 end=$3 leader=$4 groups=$5
inside=out said=''
while IFS= read -r line; do
	case $line in
	in | out) inside=$line ;;
	*)
		said="$line
$(head -c 3000)
"
		cat >/dev/null
		;;
	esac
done
[ "$inside" = in ] || exit 0
# Another program than the shell may have it by now: for a moment, as before a prompt, or for
# long.
tries=0
while read -r stat 2>/dev/null <"/proc/$leader/stat"; do
	set -- ${stat##*) }
	case " $groups " in
	*" $6 "*) break ;;
	esac
	[ $((tries += 1)) -lt 20 ] || exit 0
	sleep 0.25
done
# A shell that edits lines has set its own mode.
case $(stty -g <&3) in
"$raw" | gfmt*) stty "$was" <&3 ;;
esac
printf '%s' "$end"
printf '%s' "$said" | tr -cd '\11\12\40-\176' >&2
