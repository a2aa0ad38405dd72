package server

import (
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

// register makes the answer of PerflibV2QueryCounterSetRegistrationInfo
// (MS-PCQ 3.1.4.1.2). All texts are English.
func (s *counterset) register(request perflib.RequestCode, lcid uint32) ([]byte, rpc.Code) {
	if localized(request) && !installed(lcid) {
		return nil, rpc.CodeLanguageNotFound
	}
	switch request {
	case perflib.CountersetStruct:
		return perflib.AppendCounterset(nil, &s.info), rpc.CodeOK
	case perflib.CounterStruct:
		i, ok := s.byID[lcid] // RequestLCID is the counter here
		if !ok {
			return nil, rpc.CodeItemNotFound
		}
		return perflib.AppendCounter(nil, &s.info.Counters[i]), rpc.CodeOK
	case perflib.CountersetName, perflib.EnglishName:
		return text(s.set.Name)
	case perflib.CountersetHelp:
		return text(s.set.Description)
	case perflib.ProviderName:
		return text(s.set.Provider)
	case perflib.ProviderGUID:
		return perflib.AppendGUID(nil, s.provider), rpc.CodeOK
	case perflib.CounterNames, perflib.EnglishCounterNames:
		return s.texts(func(c *counter) string { return c.name }), rpc.CodeOK
	default: // CounterHelps: others were refused
		return s.texts(func(c *counter) string { return c.help }), rpc.CodeOK
	}
}

// localized tells whether RequestLCID is a language.
func localized(request perflib.RequestCode) bool {
	return request >= perflib.CountersetName && request <= perflib.CounterHelps
}

// installed tells whether RequestLCID means English, of any country, or what
// the host speaks: neutral, the default of user or system, invariant (MS-LCID
// 2.2).
func installed(lcid uint32) bool {
	const languageBits, english = 0x3FF, 0x09
	switch lcid {
	case 0, 0x7F, 0x400, 0x800:
		return true
	}
	return lcid&languageBits == english
}

func text(s string) ([]byte, rpc.Code) {
	if s == "" {
		return nil, rpc.CodeNotFound
	}
	return perflib.AppendString(nil, perflib.EncodeText(s)), rpc.CodeOK
}

func (s *counterset) texts(of func(*counter) string) []byte {
	list := make([]perflib.CounterString, len(s.counters))
	for i := range s.counters {
		list[i].ID = s.counters[i].id
		if t := of(&s.counters[i]); t != "" {
			list[i].Text = perflib.EncodeText(t)
		}
	}
	return perflib.AppendStrings(nil, list)
}
