// cpp-httplib, the HTTP library of llama.cpp's server (tools/server/server-http.cpp): it routes on the raw
// request target.
#include <httplib.h>

#include <iostream>
#include <string>
#include <thread>

int main() {
  httplib::Server server;
  server.Get("/v1/models", [](const httplib::Request &, httplib::Response &response) {
    response.set_content(R"({"object":"list","data":[{"id":"tiny"}]})", "application/json");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::cout << port << std::endl;
  std::thread listening([&] { server.listen_after_bind(); });
  for (std::string line; std::getline(std::cin, line);) {}  // ends with the test that started it
  server.stop();
  listening.join();
}
