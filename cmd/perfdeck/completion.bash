# Completion of perfdeck for bash. It needs no other package: it reads the line
# itself, because counter paths are full of characters that break words.
_perfdeck() {
    local line=${COMP_LINE:0:COMP_POINT} quote='' word='' begun='' char next
    local -i i start=0
    local -a words=() found=()
    for ((i = 0; i < ${#line}; i++)); do
        char=${line:i:1}
        case $quote$char in
        "''" | '""') quote='' ;;
        "'"?) word+=$char ;;
        '"\')
            next=${line:i+1:1}
            if [[ $next == [\\\"\$\`] ]]; then
                word+=$next
                i+=1
            else
                word+=$char
            fi
            ;;
        '"'?) word+=$char ;;
        "'" | '"')
            [[ $begun ]] || start=i
            quote=$char begun=1
            ;;
        [[:space:]])
            [[ $begun ]] && words+=("$word")
            word='' begun=''
            start=i+1
            ;;
        '\')
            [[ $begun ]] || start=i
            i+=1
            word+=${line:i:1} begun=1
            ;;
        *)
            [[ $begun ]] || start=i
            word+=$char begun=1
            ;;
        esac
    done

    # Ways to go on from --flag=VALUE are values alone.
    local flag=''
    [[ $word == --*=* ]] && flag=${word%%=*}=

    local -i directive=0 tries
    for ((tries = 0; tries < 4; tries++)); do
        found=()
        while IFS= read -r next; do
            found+=("$next")
        done < <("${words[0]}" __completeNoDesc "${words[@]:1}" "$word" 2>/dev/null)
        ((${#found[@]})) || return
        directive=${found[-1]#:}
        unset 'found[-1]'
        # A single way to go on is gone at once, so that no closing quote is set.
        ((${#found[@]} == 1 && directive & 2)) && [[ ${found[0]} == \\* ]] || break
        word=$flag${found[0]}
    done
    ((directive & 2)) && compopt -o nospace
    ((directive & 4)) && compopt +o default

    local typed=${line:start} head=''
    [[ $quote ]] || head=${typed:0:${#typed}-${#2}}
    COMPREPLY=()
    for next in "${found[@]}"; do
        case $quote in
        "'") next=${next//\'/\'\\\'\'} ;;
        '"')
            next=${next//\$/\\\$}
            next=${next//\`/\\\`}
            next=${next//\"/\\\"}
            [[ $next == \\\\* ]] && next='\\'$next
            ;;
        *) printf -v next %q "$next" ;;
        esac
        COMPREPLY+=("${next#"$head"}")
    done
}
complete -o default -F _perfdeck perfdeck
