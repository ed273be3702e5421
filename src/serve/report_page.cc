#include "serve/report_page.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <vector>

#include "answers/mode.h"
#include "base/json_writer.h"
#include "serve/slice_reply.h"
#include "trace/framework/steps.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kMostSlices = 300'000;  // Of all profiles together, about 13 MB.
constexpr std::uint32_t kPixelsOfSums = 8000;
constexpr const char* kRowsOfTables = "2000";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k > bytes.size() ? '=' : kDigits[word >> (18 - 6 * k) & 63];
    }
  }
  return text;
}

// Replies by what is asked, as the page looks them up.
class Replies {
 public:
  explicit Replies(const Served& served) : served_(served), json_(text_) { json_.begin_object(); }

  // What cannot be answered is left out: the page says so.
  void add(const std::string& key, const std::string& path,
           std::multimap<std::string, std::string> parameters) {
    const HttpRequest request{.method = "GET", .path = path, .parameters = std::move(parameters)};
    const HttpReply reply = answer_request(served_, request);
    if (reply.status == 200) json_.key(key).raw(reply.body);
  }

  void add_of_profile(const std::string& path, std::size_t profile) {
    const std::string number = std::to_string(profile);
    add(path + "?p=" + number, path, {{"p", number}});
  }

  std::string take() {
    json_.end_object();
    return std::move(text_);
  }

 private:
  const Served& served_;
  std::string text_;
  JsonWriter json_;
};

using AskedFor = std::multimap<std::string, std::string>;

// As the page writes what it asks for: sorted, what tells questions apart alone (api/report.ts).
std::string report_key(const std::string& path, const AskedFor& parameters) {
  std::string key = path;
  for (const auto& [name, value] : parameters) {
    if (name == "top") continue;
    key += (key.size() == path.size() ? '?' : '&') + name + '=' + value;
  }
  return key;
}

// What the page asks of a profile, or of one step of it.
void add_answers(Replies& replies, const AskedFor& subject) {
  const auto ask = [&](const std::string& path, const AskedFor& more = {}) {
    AskedFor parameters = subject;
    parameters.insert(more.begin(), more.end());
    const std::string key = report_key(path, parameters);
    replies.add(key, path, std::move(parameters));
  };
  for (const char* path : {"/api/overview", "/api/modules", "/api/roofline"}) ask(path);
  for (const answers::Mode* mode : answers::all_modes()) {
    ask("/api/answer", {{"mode", std::string(mode->name)}, {"top", kRowsOfTables}});
  }
  for (const char* by : {"shape", "name", "module"}) {
    ask("/api/answer", {{"mode", "op_statistic"}, {"by", by}, {"top", kRowsOfTables}});
  }
  ask("/api/answer", {{"mode", "kernels"}, {"with", "module,pmu"}, {"top", kRowsOfTables}});
  ask("/api/memory/blocks", {{"top", kRowsOfTables}});
}

// Steps that are chosen are told of one by one too, unless there are many.
std::vector<std::int64_t> told_steps(const ShownProfile& profile, const ReportChoice& choice) {
  constexpr std::size_t kMostToldSteps = 4;
  std::vector<std::int64_t> steps;
  if (!choice.steps) return steps;
  for (const std::int64_t step : profile.trace().steps().id) {
    if (step >= choice.steps->first && step <= choice.steps->second) steps.push_back(step);
  }
  if (steps.size() > kMostToldSteps) steps.clear();
  return steps;
}

void add_profile(Replies& replies, std::size_t number, const ShownProfile* profile,
                 const ReportChoice& choice) {
  for (const char* path : {"/api/profile", "/api/lanes", "/api/names", "/api/memory"}) {
    replies.add_of_profile(path, number);
  }
  const std::string p = std::to_string(number);
  replies.add("/api/stacks?kind=python&p=" + p, "/api/stacks", {{"p", p}});
  add_answers(replies, {{"p", p}});
  if (profile == nullptr) return;
  for (const std::int64_t step : told_steps(*profile, choice)) {
    const std::string text = std::to_string(step);
    replies.add("/api/stacks?kind=python&p=" + p + "&step=" + text, "/api/stacks",
                {{"p", p}, {"step", text}});
    add_answers(replies, {{"p", p}, {"step", text}});
  }
}

Span chosen_span(const ShownProfile& profile, const ReportChoice& choice) {
  const Span all{profile.lanes.span().begin_ns, profile.lanes.span().end_ns + 1};
  if (!choice.steps) return all;
  Span span{all.end_ns, all.begin_ns};
  const trace::Steps& steps = profile.trace().steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps.id[i] < choice.steps->first || steps.id[i] > choice.steps->second) continue;
    span.begin_ns = std::min(span.begin_ns, profile.lanes.from_zero(steps.host_start_ns[i]));
    span.end_ns = std::max(span.end_ns, profile.lanes.from_zero(steps.device_end_ns[i]) + 1);
  }
  return span.begin_ns < span.end_ns ? span : all;
}

std::size_t slices_between(const LaneIndex& index, Span span) {
  std::size_t count = 0;
  for (const report::Lane& lane : index.lanes()) {
    for (const std::int64_t start : lane.start_ns) {
      const std::int64_t time = index.from_zero(start);
      count += time >= span.begin_ns && time < span.end_ns ? 1U : 0U;
    }
  }
  return count;
}

// Each slice as it is, or, if there are too many of them, sums.
std::string slices_of(const ShownProfile& profile, const ReportChoice& choice, std::size_t most,
                      bool& is_summed) {
  const LaneIndex& index = profile.lanes;
  Window window{.span = chosen_span(profile, choice),
                .pixels = std::numeric_limits<std::uint32_t>::max()};
  if (slices_between(index, window.span) > most) {
    window.pixels = kPixelsOfSums;
    is_summed = true;
  }
  std::vector<std::uint32_t> lanes(index.size());
  for (std::uint32_t i = 0; i < lanes.size(); ++i) lanes[i] = i;
  return slices_reply(index, window, lanes);
}

// Puts what a tag refers to in the place of the tag: from `<` to `>`, or to the end of its element.
bool put_inline(std::string& html, std::string_view reference, std::string_view end,
                const std::string& text) {
  const std::size_t at = html.find(reference);
  if (at == std::string::npos) return false;
  const std::size_t begin = html.rfind('<', at);
  const std::size_t last = html.find(end, at);
  if (begin == std::string::npos || last == std::string::npos) return false;
  html.replace(begin, last + end.size() - begin, text);
  return true;
}

// Folders of this machine that sentences about files name.
void forget_folders(std::string& text, const std::vector<query::ProfileFacts>& profiles) {
  for (const query::ProfileFacts& facts : profiles) {
    std::error_code failure;
    const auto path = std::filesystem::absolute(facts.path, failure);
    for (const std::string& folder :
         {path.parent_path().native(), std::filesystem::path(facts.path).parent_path().native()}) {
      if (folder.size() > 1) replace_all(text, folder + "/", "");
    }
  }
}

Result<std::string> page_with(const PageFiles& files, const std::string& data) {
  const std::string* index = files.find("/index.html");
  const std::string* program = files.find("/assets/app.js");
  const std::string* style = files.find("/assets/app.css");
  if (index == nullptr || program == nullptr || style == nullptr) {
    return Error{ErrorCode::kUnsupported,
                 "this npuprof was built without its page, so it cannot export one: build it with "
                 "node and npm"};
  }
  std::string html = *index;
  std::string sheet = *style;
  replace_all(sheet, "</style", "<\\/style");
  const bool is_whole =
      put_inline(html, "assets/app.css", ">", "<style>" + sheet + "</style>") &&
      put_inline(html, "assets/app.js", "</script>",
                 "<script>window.npuprofReport = " + data + ";</script>\n<script type=\"module\">" +
                     in_script_program(*program) + "</script>");
  if (!is_whole) return Error{ErrorCode::kInternal, "the page is not made as it should be"};
  return html;
}

}  // namespace

std::string in_script_json(std::string json) {
  replace_all(json, "<", "\\u003c");
  return json;
}

std::string in_script_program(std::string program) {
  replace_all(program, "</script", "<\\/script");
  replace_all(program, "<!--", "<\\!--");
  return program;
}

Result<ReportPage> report_page(const PageFiles& files, const Served& served,
                               const ReportChoice& choice) {
  const std::size_t count = served.store.profiles().size();
  ReportPage page;
  std::string binary;
  JsonWriter json(binary);
  json.begin_object();
  std::size_t shown = 0;
  std::optional<Error> failure;
  for (std::size_t i = 0; i < count; ++i) {
    const auto profile = served.store.wait_for(i);
    if (!profile.ok()) {
      failure = profile.error();
      continue;
    }
    if (*profile == nullptr) continue;
    ++shown;
    json.member("slices:" + std::to_string(i),
                base64(slices_of(**profile, choice, kMostSlices / count, page.is_summed)));
  }
  json.end_object();
  if (shown == 0 && failure) return *failure;
  Replies replies(served);
  replies.add("/api/session", "/api/session", {});
  for (std::size_t i = 0; i < count; ++i) {
    add_profile(replies, i, served.store.if_ready(i).get(), choice);
  }
  for (const char* path : {"/api/cluster/steps", "/api/cluster/ranks", "/api/cluster/links",
                           "/api/cluster/collectives", "/api/cluster/pipeline"}) {
    replies.add(path, path, {});
  }
  std::string data = "{\"replies\":" + replies.take() + ",\"binary\":" + binary + "}";
  forget_folders(data, served.store.profiles());
  NPUPROF_ASSIGN_OR_RETURN(page.html, page_with(files, in_script_json(std::move(data))));
  return page;
}

}  // namespace npuprof::serve
