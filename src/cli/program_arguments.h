#pragma once

#include <string>
#include <vector>

namespace npuprof::cli {

// The arguments of this program behind its name. In names of options '_' becomes '-', but not after
// "--", where another program's arguments begin. A copy of or a link to this program that is called
// `msprof` takes the arguments of msprof's exports, one called `msprof-analyze` those of
// msprof-analyze, whose commands `npuprof analyze` takes too:
//
//     analyze cluster -m MODE -d PATH        analyze -m MODE -d PATH
//     analyze compare -d NEW -bp BASE        compare --baseline BASE -d NEW
//     analyze advisor all -d PATH            analyze -m advisor -d PATH
//
// `npuprof msprof` takes what msprof does, and the commands of msprof.py:
//
//     msprof import -dir PATH                msprof --parse=on --output PATH
//     msprof export summary -dir PATH        msprof --export=on --output PATH
//     msprof query -dir PATH                 msprof --query=on --output PATH
//     msprof analyze -r RULE -dir PATH       msprof --analyze=on --rule RULE --output PATH
std::vector<std::string> program_arguments(int argc, const char* const* argv);

// Whether a link to or a copy of this program has that name.
bool is_called_msprof(int argc, const char* const* argv);

}  // namespace npuprof::cli
